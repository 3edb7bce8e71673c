-- Room: auth. Messages on the bank's own pages that are shown once.

-- the message about the customer's last act, until a page has shown it
alter table own_session add column message text;

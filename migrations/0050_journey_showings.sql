-- Room: auth. What customers were shown so far, and what they have answered, in journeys and before
-- they sign an order in the bank's own pages. It is kept with the approval.

alter table journey add column showings json not null default '[]';
-- null for acts whose evidence is not kept, and for challenges of a journey
alter table login_challenge add column showings json;

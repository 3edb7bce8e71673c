-- Room: auth. Why a request in the app has ended without an answer.

alter table login_challenge
  -- whether the customer has asked for another one in its place
  add column is_replaced boolean not null default false;

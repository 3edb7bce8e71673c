-- Room: consents. What customers were shown on the way to an approval that did not come about: they
-- refused, their time was up, or they could not approve. Until now only approvals had evidence.

create table consent_attempt (
  -- the journey that has ended
  attempt_id text not null,
  consent_id text not null references consent on delete cascade,
  customer_id text not null,
  ended_at timestamptz not null,
  -- how it ended, such as `cancelled`
  ending text not null,
  -- what the customer was shown, with each answer
  showings json not null,
  primary key (consent_id, attempt_id)
);

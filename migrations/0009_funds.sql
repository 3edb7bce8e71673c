-- Room: funds. Card issuers' questions about the funds of an account, and the bank's answers.

create table funds_confirmation (
  funds_confirmation_id text primary key,
  consent_id text not null references consent on delete cascade,
  asked_at timestamptz not null,
  reference text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  -- null if the bank could not answer
  is_available boolean,
  -- why the bank could not answer
  reason text check (reason in ('other currency')),
  check ((is_available is null) = (reason is not null))
);
-- while a consent exists, an answered reference cannot be used again
create unique index funds_confirmation_reference on funds_confirmation (consent_id, reference)
  where is_available is not null;
create index funds_confirmation_history on funds_confirmation (consent_id, asked_at);

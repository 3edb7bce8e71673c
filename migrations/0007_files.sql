-- Files of payments: what was uploaded to a consent, byte by byte and payment by payment.

create table payment_file (
  file_id text primary key,
  -- null while the file comes in: what is left of an upload that broke off is swept away
  consent_id text unique references consent,
  -- by the database's own clock, as a lease is
  begun_at timestamptz not null default clock_timestamp(),
  -- as it was sent, parameters and all
  content_type text not null
);
create index payment_file_coming on payment_file (begun_at) where consent_id is null;

create table payment_file_chunk (
  file_id text not null references payment_file on delete cascade,
  position integer not null,
  bytes bytea not null,
  primary key (file_id, position)
);
-- a file is compressed by whoever wants it smaller; reading it in order is what counts
alter table payment_file_chunk alter column bytes set storage external;

create table payment_file_batch (
  file_id text not null references payment_file on delete cascade,
  first_sequence integer not null,
  -- rows of payment, with the TPP's own names for them
  instructions json not null,
  primary key (file_id, first_sequence)
);

-- What of a file is still in work: how the engine sees at once that nothing is.
alter table payment add column of_file boolean not null default false;
create index payment_of_file_in_work on payment (order_id)
  where of_file and status in ('RCVD', 'PDNG', 'ACTC', 'PATC', 'ACCP', 'ACFC', 'ACSP', 'ACWC');
create index payment_order_file_in_work on payment_order (created_at)
  where kind = 'file-payment' and status in ('RCVD', 'PDNG');

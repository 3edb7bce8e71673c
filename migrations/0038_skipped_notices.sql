-- Room: notices. Why the core was not told, and the notices that it is never told.

alter table notice_cursor
  -- the last failed call; null if the last call succeeded
  add column failed_at timestamptz,
  add column failure text;

-- A notice that an operator has skipped, because the core can never take it.
create table notice_skip (
  notice_id text primary key,
  -- the number of its change; after a restore, another change may have it
  position bigint not null,
  skipped_at timestamptz not null,
  actor text not null,
  reason text not null
);
create index notice_skip_position on notice_skip (position);

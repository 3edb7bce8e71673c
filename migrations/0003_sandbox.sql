-- What only a sandbox has.

create table sandbox_clock (
  singleton boolean primary key default true check (singleton),
  -- how far ahead of the machine's clock the bank lives
  offset_milliseconds bigint not null default 0 check (offset_milliseconds >= 0)
);
insert into sandbox_clock default values;

create table sandbox_seed (
  name text primary key,
  seeded_at timestamptz not null
);

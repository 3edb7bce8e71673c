-- Room: sandbox. The clock may begin at any time, stand still, or run faster than the machine's.

alter table sandbox_clock
  drop constraint sandbox_clock_offset_milliseconds_check,
  -- when the clock began, by the bank's time; null before the sandbox is first opened
  add column begun_at timestamptz,
  -- 0: the clock stands still; 1: it runs as the machine's; more: so many times as fast
  add column rate integer not null default 1 check (rate between 0 and 86400),
  -- the bank's time while the clock stands still
  add column frozen_at timestamptz,
  -- by the machine's time, when a fast clock was last set forward
  add column ticked_at timestamptz,
  -- counts the changes, because processes may read them out of order
  add column version bigint not null default 0,
  add check ((rate = 0) = (frozen_at is not null));

-- the clock of a sandbox that has been opened before has begun
update sandbox_clock
set begun_at = clock_timestamp() + offset_milliseconds * interval '1 millisecond'
where offset_milliseconds <> 0 or exists (select from sandbox_seed);

-- Room: sandbox. What testers have done to orders with the sandbox's controls. The history names the
-- bank as the cause of such changes, because the bank's engine carries the acts out.

create table sandbox_order_act (
  act_id bigint generated always as identity primary key,
  order_id text not null,
  act text not null,
  acted_at timestamptz not null,
  -- the order's last change before the act, and its last change afterwards
  after_change bigint not null,
  until_change bigint not null
);
create index sandbox_order_act_order on sandbox_order_act (order_id);

-- Room: sandbox. What testers have asked for: payments that another bank sends back after they were
-- settled, and second factors that fail.

create table sandbox_return (
  payment_id text primary key,
  due_at timestamptz not null,
  reason_code text not null
);
create index sandbox_return_due on sandbox_return (due_at);

-- the customers whose next code is refused
create table sandbox_failing_code (
  customer_id text primary key references customer
);

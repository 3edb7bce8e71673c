-- Room: sandbox. The customers that developers bring into the sandbox.

create table own_customer (
  customer_id text primary key references customer,
  description text not null,
  created_at timestamptz not null,
  -- when the customer was deleted: the accounts are closed, and nobody can log in any more
  deleted_at timestamptz
);

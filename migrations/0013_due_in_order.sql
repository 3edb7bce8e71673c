-- Payments that fall due together are made in the order of their file: when the funds run short, it
-- is the last of them that are not made.
create index payment_due_in_order on payment (due_at, sequence) where due_at is not null;
drop index payment_due;

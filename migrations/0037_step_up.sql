-- Room: auth. Why the bank's core asks a customer for a further code, as the journey shows it; null if
-- it does not.

alter table journey add column step_up text;

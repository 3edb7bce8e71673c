-- Room: account-store. A fault that names no fact may be in every page of a feed. It has one row per
-- path now, with the first page that had it, and how often it came; `since` is the time of the first.
-- Older rows, one per page, stay as they are.

alter table fact_refusal add column place text;
alter table fact_refusal add column times integer default 1 not null;
alter table fact_refusal add column since timestamp with time zone;
alter table fact_refusal alter column since set default clock_timestamp();

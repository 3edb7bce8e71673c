-- Room: history. The history of a consent goes with it, when the period for ended consents is over.

-- A transaction that deletes ended consents says before which time their histories must have ended
-- (aldgate.histories_before, src/history/change.ts). Without this, it can delete no history.
-- Older processes survive this: it refuses nothing that the former function allowed.
create or replace function keep_changes() returns trigger language plpgsql as $$
declare
  ended_before timestamptz := nullif(current_setting('aldgate.histories_before', true), '');
begin
  if tg_op = 'DELETE' then
    if not exists (
      select from change c where c.object_id = old.object_id
        and (c.object_kind <> 'consent'
          or c.after::json->>'status' not in ('AWUP', 'AWAU', 'RJCT')))
    then
      return old;
    end if;
    if old.object_kind in ('consent', 'order') and not exists (
      select from change c where c.object_id = old.object_id
        and (ended_before is null or c.occurred_at > ended_before))
    then
      return old;
    end if;
  end if;
  raise exception 'a change is never updated, and is deleted only with an unauthorised consent or, '
    'after their period, with an ended one';
end $$;

-- Room: history. Every change of a consent, an order or a client, and of the status of an account.

-- Here and in the migrations up to 0005, a check of a single column is in a domain if a payment
-- journey writes the column. PostgreSQL plans the check of a domain once per connection, but plans
-- the check of a table again for each statement that writes a row.
create domain changed_kind as text check (value in ('consent', 'order', 'client', 'account'));
create domain change_cause as text
  check (value in ('tpp', 'customer', 'bank', 'clock', 'unknown'));

-- One row per change, written by the statement that makes the change. A row is never updated. It is
-- deleted only with a consent that no customer ever authorised.
create table change (
  -- Gives the order of one object's changes, because each change waits for the lock of the one
  -- before. Readers rely on a number being larger than all numbers of readable changes when it is
  -- assigned, so the sequence must not have a cache.
  sequence bigint generated always as identity primary key,
  object_kind changed_kind not null,
  object_id text not null,
  -- The facts after the change, as JSON; the object's previous row has the facts before it. The
  -- type is text because the server would parse `json` for each row that it inserts. The statements
  -- that every payment runs build the text from fixed words that need no escapes. All others build
  -- `json` and cast it to text.
  after text not null,
  -- `unknown` if the statement did not say who makes the change. The objects' `changed_by`, which
  -- comes here, therefore needs no check.
  cause change_cause not null,
  -- x-fapi-interaction-id of the request that made the change
  interaction_id text,
  -- null for objects that belong to no version of an API
  api_version text,
  -- By the bank's clock. If a statement changes a client without saying who does, the time is the
  -- database's.
  occurred_at timestamptz not null
);
-- An object has few changes, so readers sort them. An insertion into a B-tree would compare a dozen
-- ids. An insertion into a hash index compares numbers, and costs half.
create index change_of_object on change using hash (object_id);

create function keep_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (
      select from change c where c.object_id = old.object_id
        and (c.object_kind <> 'consent'
          or c.after::json->>'status' not in ('AWUP', 'AWAU', 'RJCT')))
    then
      return old;
    end if;
  end if;
  raise exception 'a change is never updated, and is deleted only with an unauthorised consent';
end $$;
create trigger change_kept before update or delete on change
  for each row execute function keep_changes();
create trigger change_not_truncated before truncate on change
  for each statement execute function keep_changes();

-- Trigger function: writes a change of the row, unless its facts are the same as after the last
-- change. The trigger's argument is the object's kind; the function `history_of` of the row's table
-- returns the facts. The triggers do not fire for a statement that writes the history itself, as
-- the statements of every payment do: such a statement raises `revision` and leaves `changed_by`
-- empty. The triggers' conditions are short, because the server compiles them for each statement.
create function record_change() returns trigger language plpgsql as $$
declare
  is_explained boolean := tg_op = 'INSERT' or new.revision > old.revision;
begin
  insert into change (object_kind, object_id, after, cause, interaction_id, api_version,
    occurred_at)
  select tg_argv[0], h.object_id, h.facts::text,
    case when is_explained then new.changed_by else 'unknown' end,
    case when is_explained then new.interaction_id end, h.api_version,
    coalesce(case when is_explained then new.changed_at end, h.happened_at)
  from history_of(new) h
  where h.facts::text is distinct from (
    select l.after from change l where l.object_id = h.object_id
    -- `+ 0` as in src/history/change.ts
    order by l.sequence + 0 desc limit 1);
  return null;
end $$;

-- Writes a change that the bank makes, for tables whose rows do not say who changed them.
create function record_by_bank(kind text, id text, facts json, at timestamptz) returns void
language sql as $$
  insert into change (object_kind, object_id, after, cause, occurred_at)
  values (kind, id, facts::text, 'bank', at)
$$;

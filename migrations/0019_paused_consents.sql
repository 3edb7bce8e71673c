-- Room: consents. The customer can pause the payments of a consent that is used within limits. Its
-- status and its tokens stay as they are.

-- null if the consent is not paused
alter table consent add column paused_at timestamptz;

-- Locks consents until the end of the transaction and returns those that can be used, each with its
-- status: neither deleted nor paused. They are locked in the order of their ids, so that two batches
-- never wait for each other. Whatever the caller reads in its next statement has all that earlier
-- users have stored.
create or replace function lock_consents(ids text[]) returns table (consent_id text, status text)
language plpgsql as $$
begin
  return query select c.consent_id, c.status::text from consent c
    where c.consent_id = any(ids) and c.deleted_at is null and c.paused_at is null
    order by c.consent_id for no key update;
end $$;

-- The members that few consents have: the accounts that the customer withdrew, that the contract
-- under which the consent was created has ended, and that it is paused. Each member begins with a
-- comma.
create function rare_consent_history(consent text, terms json, paused_at timestamptz) returns text
language sql stable as $$
  select coalesce((
      select ',"withdrawn":' || json_agg(a.account_id order by a.account_id)
      from consent_account a where a.consent_id = consent and a.covered_until is not null), '')
    || case when terms->'vrpContract'->>'endedAt' is null then ''
      else ',"contractEnded":true' end
    || case when paused_at is null then '' else ',"paused":true' end
$$;
create or replace function history_of(c consent, out object_id text, out facts json,
  out api_version text, out happened_at timestamptz)
language sql stable as $$
  select c.consent_id, consent_history(c.status, c.status_reason::text, c.grant_id, c.deleted_at,
      rare_consent_history(c.consent_id, c.terms, c.paused_at))::json,
    c.api_version, c.status_updated_at
$$;
drop function rare_consent_history(text, json);

import { lastChange } from "#src/history/change.ts";
import { activeStatuses } from "#src/standard/api-version.ts";
import type { InvariantGroup } from "#src/storage/invariants.ts";
import { words } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";

/** The invariants of consents: their histories and their authorisations. */
export const consentInvariantGroups: readonly InvariantGroup[] = [
  {
    what: "histories of consents",
    key: { table: sql`consent`, column: sql`consent_id`, perSlice: 10_000 },
    invariants: [
      {
        name: "a consent's facts are those of its last change",
        breaches: (within) => sql`select c.consent_id, c.facts, h.facts
          from (
            select consent_id,
              consent_history(status, status_reason::text, grant_id, deleted_at,
                rare_consent_history(consent_id, terms, paused_at)) as facts
            from consent where ${within(sql`consent_id`)}
          ) c ${lastChange(sql`c.consent_id`)}
          where h.facts is distinct from c.facts`,
      },
      {
        // whether a cancelled or consumed consent lapses depends on its kind
        name: "a consent's waits_since and lapses_at match its status",
        breaches: (within) => sql`select consent_id, status || case
              when deleted_at is not null then ' and deleted' else '' end,
            'waiting since ' || coalesce(waits_since::text, 'never') || ', lapsing at '
              || coalesce(lapses_at::text, 'never')
          from consent
          where ${within(sql`consent_id`)} and (
            waits_since is distinct from
              case when deleted_at is null and status in ('AWUP', 'AWAU') then created_at end
            or lapses_at is distinct from case
              when deleted_at is null and status in ('AWUP', 'AWAU', 'AUTH') then expires_at
              when deleted_at is null and status in ('CANC', 'COND') and lapses_at is not null
                then expires_at end)`,
      },
      {
        name: "an active consent has one open authorisation, that of its grant",
        breaches: (within) => sql`select c.consent_id, c.grant_id, a.grants
          from consent c cross join lateral (
            select string_agg(a.grant_id, ', ') as grants from consent_authorisation a
            where a.consent_id = c.consent_id and a.ended_at is null
          ) a
          where ${within(sql`c.consent_id`)} and a.grants is distinct from
            case when c.status = any(${words(activeStatuses)}) and c.deleted_at is null
              then c.grant_id end`,
      },
      {
        // only access to accounts has permissions; every other consent has one account
        name: "an authorised consent covers one account, or several if it is an account access consent",
        breaches: (within) => sql`select c.consent_id, c.kind, a.accounts
          from consent c cross join lateral (
            select count(*)::integer as accounts from consent_account a
            where a.consent_id = c.consent_id and a.covered_until is null
          ) a
          where ${within(sql`c.consent_id`)} and c.status = any(${words(activeStatuses)})
            and (a.accounts = 0 or a.accounts > 1 and c.permissions = '{}')`,
      },
    ],
  },
];

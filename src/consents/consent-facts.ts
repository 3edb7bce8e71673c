import { type ChangeSql, factsBefore } from "#src/history/change.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * SQL: consents, including deleted ones, as a table for other rooms' statements: `join
 * ${consentFacts} c`. The planner flattens the subquery, so it costs no more than the table itself.
 */
export const consentFacts: Sql = sql`(
  select consent_id, kind, api_version, status, created_at, body, terms, authorised_at, expires_at
  from consent)`;

/** SQL: the last approval of a consent until then, with how its customer was authenticated. */
export const approvalBefore = (consentId: Sql, at: Sql): Sql => sql`
  select customer_id as "customerId", authorised_at as "at", acr, amr
  from consent_authorisation
  where consent_id = ${consentId} and authorised_at <= ${at}
  order by authorised_at desc limit 1`;

/**
 * SQL: a consent as notices of its changes describe it, with the accounts that it covered then.
 */
export const noticedConsent = (consentId: Sql, at: Sql): Sql => sql`
  select k.consent_id as "consentId", null::text as "orderId", k.kind, null::text as family,
    k.client_id as "noticedClient", array_remove(array[k.customer_id], null) as "customerIds",
    array(
      select ca.account_id from consent_account ca
      where ca.consent_id = k.consent_id and ca.covered_from <= ${at}
        and (ca.covered_until is null or ca.covered_until > ${at})
      order by ca.account_id) as "accountIds",
    k.expires_at as "expiresAt"
  from consent k where k.consent_id = ${consentId}`;

/** The table of consents and its key, for checks that read it in slices. */
export const consentKey = { table: sql`consent`, column: sql`consent_id` };

/** The TPP and the kind of each consent, as the events of its changes need them. */
export const consentSubjects: Sql = sql`
  select consent_id as object_id, client_id, kind, consent_id as resource_id, api_version
  from consent`;

/**
 * The TPP and the kind of each consent that gave access to an account when the account changed, for
 * consents of the given kind. The consent may have ended before the event is made.
 */
export const coveredAccountSubjects =
  (kind: KindId) =>
  ({ sequence, occurredAt }: ChangeSql): Sql =>
    sql`
  select ca.account_id as object_id, k.client_id, k.kind, k.consent_id as resource_id,
    k.api_version
  from consent_account ca join consent k on k.consent_id = ca.consent_id
  ${factsBefore({ objectId: sql`k.consent_id`, sequence })}
  where k.kind = ${kind} and p.before->>'status' = 'AUTH' and p.before->>'deleted' = 'false'
    and (k.expires_at is null or k.expires_at > ${occurredAt})
    and (ca.covered_until is null or ca.covered_until > ${occurredAt})`;

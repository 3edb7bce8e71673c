import type { Queryable } from "#src/storage/database.ts";
import {
  type CustomerIds,
  isOneOf,
  ofConsent,
  ofCustomer,
  ofGrant,
  type PersonalTable,
  personalTable,
  whyStays,
} from "#src/storage/personal-table.ts";
import { sql } from "#src/storage/sql.ts";
import type { ConsentKind } from "./kind.ts";

/** The tables of consents, as far as they are about a customer. */
export const consentDataTables: readonly PersonalTable[] = [
  personalTable("consent", whyStays.consent, ofConsent),
  personalTable("consent_account", whyStays.consent, ofConsent),
  personalTable("consent_attempt", whyStays.consent, ofCustomer),
  personalTable("consent_authorisation", whyStays.consent, ofGrant),
  // only the core, which has made it, knows what it says
  personalTable("attached_data", null, ofConsent, ["sealed"]),
  personalTable("unattended_access", whyStays.brief, ofConsent),
];

/** Finds the consents that a customer has given, with their authorisations and their TPPs. */
export async function findGivenConsents(
  on: Queryable,
  customerId: string,
): Promise<Pick<CustomerIds, "consentIds" | "grantIds" | "clientIds">> {
  const rows = await on.query<{ consentId: string; clientId: string; grantIds: string[] }>(sql`
    select c.consent_id as "consentId", c.client_id as "clientId", array(
        select a.grant_id from consent_authorisation a
        where a.consent_id = c.consent_id and a.customer_id = ${customerId}) as "grantIds"
    from consent c where c.customer_id = ${customerId}`);
  return {
    consentIds: rows.map(({ consentId }) => consentId),
    grantIds: rows.flatMap(({ grantIds }) => grantIds),
    clientIds: [...new Set(rows.map(({ clientId }) => clientId))],
  };
}

/** Makes changes of the consents that a customer has given wait until the transaction ends. */
export const lockGivenConsents = (on: Queryable, customerId: string): Promise<unknown> =>
  on.query(sql`
    select from consent where customer_id = ${customerId} order by consent_id for update`);

/** Lists all consents of a customer with a grant that lives, so that their TPPs can use them. */
export async function listConsentsInUse(
  on: Queryable,
  customerId: string,
  kinds: readonly Pick<ConsentKind, "id" | "course">[],
  now: Temporal.Instant,
): Promise<string[]> {
  const seconds = kinds.map(({ id, course }) => ({ id, seconds: course.grantSeconds }));
  const rows = await on.query<{ consentId: string }>(sql`
    select c.consent_id as "consentId" from consent c
    left join json_to_recordset(${JSON.stringify(seconds)}::json) as k(id text, seconds float8)
      on k.id = c.kind
    where c.customer_id = ${customerId} and c.status = 'AUTH' and c.deleted_at is null
      and coalesce(c.expires_at, c.authenticated_at + make_interval(secs => k.seconds),
        'infinity') > ${now}
    order by c.created_at, c.consent_id`);
  return rows.map(({ consentId }) => consentId);
}

/** Erases what the core has attached to these consents. */
export async function eraseAttachedData(
  on: Queryable,
  consentIds: readonly string[],
): Promise<void> {
  await on.query(sql`delete from attached_data where ${isOneOf(sql`consent_id`, consentIds)}`);
}

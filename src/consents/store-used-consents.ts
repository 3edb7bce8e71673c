import { present } from "#src/lib/assert.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type ConsentCourse, statusAfter } from "./states.ts";
import type { TermsRecord } from "./terms.ts";

/** A payment consent that is stored together with the order that used it. */
export type UsedConsent = {
  consent_id: string;
  /** RFC 3339. */
  created_at: string;
  /** The body as a TPP would have sent it. */
  body: object;
  consent_terms: TermsRecord;
  customer_id: string | undefined;
  debtor_account_id: string;
};

/** The common facts of used consents that are stored together. */
export type UsedConsents = {
  kind: { id: KindId; consent: ConsentCourse<"once"> };
  /** The client in whose name the bank stores them. */
  clientId: string;
  /** The version whose words the bodies are in. */
  apiVersion: ApiVersionId;
};

/** Stores used consents of one kind and client, each with its account. */
export async function storeUsedConsents(
  on: Queryable,
  { kind, apiVersion, clientId }: UsedConsents,
  consents: readonly UsedConsent[],
): Promise<void> {
  const rows = JSON.stringify(consents);
  const status = present(statusAfter(kind.consent, "consume"), "the status of a used consent");
  await on.query(sql`
    with given as (
      select r.* from json_to_recordset(${rows}::json) as r(consent_id text,
        created_at timestamptz, body json, consent_terms json, customer_id text,
        debtor_account_id text)),
    stored as (
      insert into consent (consent_id, kind, api_version, client_id, status, created_at,
        status_updated_at, body, terms, customer_id, authorised_at)
      select consent_id, ${kind.id}::text, ${apiVersion}::text, ${clientId}::text, ${status},
        created_at, created_at, body, consent_terms, customer_id, created_at
      from given)
    insert into consent_account (consent_id, account_id, covered_from)
    select consent_id, debtor_account_id, created_at from given`);
}

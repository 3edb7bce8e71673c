import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
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

/** Stores used consents of one kind and client, each with its account. */
export async function storeUsedConsents(
  on: Queryable,
  { kind, apiVersion, clientId }: { kind: KindId; apiVersion: ApiVersionId; clientId: string },
  consents: readonly UsedConsent[],
): Promise<void> {
  const rows = JSON.stringify(consents);
  await on.query(sql`
    with given as (
      select r.* from json_to_recordset(${rows}::json) as r(consent_id text,
        created_at timestamptz, body json, consent_terms json, customer_id text,
        debtor_account_id text)),
    stored as (
      insert into consent (consent_id, kind, api_version, client_id, status, created_at,
        status_updated_at, body, terms, customer_id, authorised_at)
      select consent_id, ${kind}::text, ${apiVersion}::text, ${clientId}::text, 'COND', created_at,
        created_at, body, consent_terms, customer_id, created_at
      from given)
    insert into consent_account (consent_id, account_id, covered_from)
    select consent_id, debtor_account_id, created_at from given`);
}

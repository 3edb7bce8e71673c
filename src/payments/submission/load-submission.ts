import { type Consent, type ConsentRow, consentOfRow, consentRow } from "#src/consents/consent.ts";
import { type AccessSql, accessFacts } from "#src/http/access/access-row.ts";
import { present } from "#src/lib/assert.ts";
import { type BoundKey, boundKeyRow, type SentKey } from "#src/payments/request/idempotency-key.ts";
import type { Database } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";

/** The stored facts about an order that is being submitted. */
export type Submission = { consent: Consent | null; bound: BoundKey | null };

/** The columns of a submission. The columns of a table without a row are all null. */
type SubmissionRow = { [Member in keyof ConsentRow]: ConsentRow[Member] | null } & {
  [Member in keyof BoundKey]: BoundKey[Member] | null;
};

type Asked = { operation: string; key: string | null; now: Temporal.Instant };

/**
 * Prepares the statement that reads the access of a token with the submission of its own consent:
 * the columns of `AccessRow` and of `SubmissionRow`. Most orders name that consent, and nothing
 * else has to be read for them. `offset 0` keeps the lookup of the key a subquery, which uses the
 * whole primary key. As a join, the lookup could read the keys of all clients.
 */
export const prepareSubmission = (accessRow: AccessSql) =>
  prepare(
    ({ tokenHash, operation, key, now }: Asked & { tokenHash: string | null }) => sql`
    select ${accessFacts} as access, c.*, k.fingerprint, k."resourceId"
    from (${accessRow(tokenHash)}) access
    left join lateral (${consentRow(sql`access.consent_id`)}) c on true
    left join lateral (
      ${boundKeyRow({ clientId: sql`access.token_client_id`, operation, key }, now)}
      offset 0) k on true`,
  );

/** Reads the submission from such a row. */
export function submissionOf(row: SubmissionRow): Submission {
  const { fingerprint, resourceId, ...consent } = row;
  return {
    consent: consent.consentId === null ? null : consentOfRow<Consent>(consent as ConsentRow),
    bound: fingerprint === null || resourceId === null ? null : { fingerprint, resourceId },
  };
}

const submissionRow = prepare((asked: Asked & { consentId: string | null; clientId: string }) => {
  const { consentId, clientId, operation, key, now } = asked;
  return sql`
      select c.*, k.fingerprint, k."resourceId" from (values (1)) as once
        left join (${consentRow(consentId)}) c on true
        left join (${boundKeyRow({ clientId, operation, key }, now)}) k on true`;
});

/** Loads in one round trip the consent that an order names and the binding of its key. */
export async function loadSubmission(
  database: Database,
  consentId: string | null,
  { clientId, operation, key }: SentKey,
  now: Temporal.Instant,
): Promise<Submission> {
  const asked = { consentId, clientId, operation, key, now };
  const [row] = await database.read<SubmissionRow>(submissionRow(asked));
  return submissionOf(present(row, "the row of the submission"));
}

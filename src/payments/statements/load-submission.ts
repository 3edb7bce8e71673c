import { type Consent, consentRow } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type BoundKey, boundKeyRow, type KeyUse } from "./idempotency-key.ts";

/** What is known when an order is submitted. */
export type Submission = { consent: Consent | null; bound: BoundKey | null };

type Row = { [Member in keyof Consent]: Consent[Member] | null } & {
  [Member in keyof BoundKey]: BoundKey[Member] | null;
};

/** Loads in one round trip the consent that an order names and what its key is bound to. */
export async function loadSubmission(
  database: Database,
  consentId: string | null,
  use: KeyUse,
  now: Temporal.Instant,
): Promise<Submission> {
  const [row] = await database.read<Row>(
    sql`select c.*, k.fingerprint, k."resourceId" from (values (1)) as once
      left join (${consentRow(consentId)}) c on true
      left join (${boundKeyRow(use, now)}) k on true`,
  );
  const { fingerprint, resourceId, ...consent } = present(row, "one row, whatever it holds");
  return {
    // the columns of a joined row are null together
    consent: consent.consentId === null ? null : (consent as Consent),
    bound: fingerprint === null || resourceId === null ? null : { fingerprint, resourceId },
  };
}

import type { BankAccount } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import type { ConsentSummary } from "#src/pages/consent-summary.ts";

/** A payment's summary with what the account that was chosen adds to it. */
export async function withMore(
  summary: ConsentSummary,
  kind: ConsentKind,
  consent: Consent,
  account: BankAccount | undefined,
  now: Temporal.Instant,
): Promise<ConsentSummary> {
  if (summary.type !== "payment" || !account || !kind.moreFor) return summary;
  const { rows, notes } = await kind.moreFor(consent, account, now);
  return { ...summary, rows: [...summary.rows, ...rows], notes: [...notes, ...summary.notes] };
}

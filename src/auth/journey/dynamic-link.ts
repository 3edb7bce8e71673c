import { canonicalJson } from "#src/lib/canonical-json.ts";
import { sha256 } from "#src/lib/hash.ts";
import type { ConsentSummary } from "#src/pages/consent-summary.ts";

/**
 * What the second factor is bound to: amount and payee of a payment, or the data of an access
 * consent. Any change gives another hash. Source: SCA-RTS article 5.
 */
export function linkedHash(summary: ConsentSummary): string {
  const linked =
    summary.type === "payment"
      ? { amount: summary.amount, name: summary.payeeName, account: summary.payeeAccount }
      : { clusters: summary.clusters, until: summary.until, transactions: summary.transactions };
  return sha256(canonicalJson(linked));
}

/** What the customer is told that the code is for; null when it binds no payment. */
export const linkedText = (summary: ConsentSummary): string | null =>
  summary.type === "payment" ? `${summary.amount} to ${summary.payeeName}` : null;

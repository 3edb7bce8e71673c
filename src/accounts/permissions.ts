/**
 * Why permissions cannot stand together, in a sentence; null when they can. A code given twice, and
 * Basic beside Detail, are no fault. Source: AISP resource pages, Account Access Consents,
 * A-071…A-080.
 */
export function whyNotTogether(
  permissions: readonly string[],
  supported: ReadonlySet<string>,
): string | null {
  const has = (...anyOf: string[]) => anyOf.some((code) => permissions.includes(code));
  const unsupported = permissions.filter((code) => !supported.has(code));
  if (unsupported.length > 0) {
    return `Not offered by this bank: ${[...new Set(unsupported)].join(", ")}.`;
  }
  if (!has("ReadAccountsBasic", "ReadAccountsDetail")) {
    return "ReadAccountsBasic or ReadAccountsDetail must be among them.";
  }
  const which = has("ReadTransactionsBasic", "ReadTransactionsDetail");
  const direction = has("ReadTransactionsCredits", "ReadTransactionsDebits");
  if (which && !direction) {
    return "Transactions need ReadTransactionsCredits or ReadTransactionsDebits as well.";
  }
  if (direction && !which) {
    return "Transactions need ReadTransactionsBasic or ReadTransactionsDetail as well.";
  }
  return null;
}

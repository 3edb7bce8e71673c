/**
 * Returns why permissions cannot be combined, in a sentence; null if they can. A repeated code, and
 * Basic together with Detail, are allowed. Source: AISP resource pages, Account Access Consents,
 * A-071…A-080.
 */
export function whyNotTogether(
  permissions: readonly string[],
  supported: ReadonlySet<string>,
): string | null {
  const has = (...anyOf: string[]) => anyOf.some((code) => permissions.includes(code));
  const unsupported = permissions.filter((code) => !supported.has(code));
  if (unsupported.length > 0) {
    return `This bank does not offer these permissions: ${[...new Set(unsupported)].join(", ")}.`;
  }
  if (!has("ReadAccountsBasic", "ReadAccountsDetail")) {
    return "Permissions must include ReadAccountsBasic or ReadAccountsDetail.";
  }
  const which = has("ReadTransactionsBasic", "ReadTransactionsDetail");
  const direction = has("ReadTransactionsCredits", "ReadTransactionsDebits");
  if (which && !direction) {
    return (
      "Permissions for transactions must include ReadTransactionsCredits or " +
      "ReadTransactionsDebits."
    );
  }
  if (direction && !which) {
    return (
      "Permissions for transactions must include ReadTransactionsBasic or " +
      "ReadTransactionsDetail."
    );
  }
  return null;
}

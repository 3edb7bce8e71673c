import { lowered, type PaymentSummary } from "./consent-summary.ts";

/** An account as the customer knows it. */
type From = { label: string; number: string };

/**
 * What a customer has approved who pays: what, to whom, from which account, and what leaves it.
 * `approved` is the beginning: `You approved`. Permissions for payments have texts of their own.
 */
export function approvedText(
  approved: string,
  summary: PaymentSummary,
  account: From | null,
): string {
  const { noun, amount, payeeName } = summary;
  const from = account ? ` from ${account.label} (${account.number})` : "";
  const debit = debitText(summary);
  if (noun === "file of payments") {
    return `${approved} ${payeeName}, ${amount} in total${from}.${debit}`;
  }
  if (noun !== "standing order") {
    const date = summary.rows.find(({ label, confirmed }) => label === "Payment date" && confirmed);
    const when = date ? `, to be paid on ${date.value}` : "";
    return `${approved} ${amount} to ${payeeName}${from}${when}.${debit}`;
  }
  const { eachCosts } = summary.rows.find((row) => row.eachCosts !== undefined) ?? {};
  const costs = eachCosts === undefined ? "" : ` We charge ${eachCosts} for each payment.`;
  return `${approved} a standing order to ${payeeName}${from}: ${amount}.${costs}${debit}`;
}

/** What leaves the account, unless it is just the amount, and what is still to come. */
function debitText({ rows, amount, openRate }: PaymentSummary): string {
  for (const { value, total, first } of rows) {
    const later = total?.later ?? first?.later ?? null;
    const then = later === null ? "" : ` ${later}`;
    if (first) return ` The first payment takes ${lowered(first.takes)}.${then}`;
    if (!total) continue;
    const detail = total.detail === null ? "" : `, ${total.detail}`;
    return value === amount ? then : ` ${value} leaves this account${detail}.${then}`;
  }
  return openRate ? atOpenRate(openRate) : "";
}

/** The same, if the bank's core has given no price. */
const atOpenRate = ({ charge }: NonNullable<PaymentSummary["openRate"]>): string =>
  ` If it has to be converted, we use our exchange rate at the time of payment.${
    charge === null ? "" : ` Our charges of ${charge} come on top.`
  }`;

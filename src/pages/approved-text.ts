import { type ConsentNoun, lowered, type PaymentSummary } from "./consent-summary.ts";

const approveTexts: Readonly<Record<ConsentNoun, string>> = {
  "standing order": "Approve standing order",
  "file of payments": "Approve file of payments",
  "payment permission": "Allow payments",
};

/** The text of the button that approves: it names what the account pays, if that is fixed. */
export function approveText({
  noun,
  amount,
  rows,
}: Pick<PaymentSummary, "noun" | "amount" | "rows">): string {
  if (noun !== undefined) return approveTexts[noun];
  const debit = rows.find(({ total }) => total && !total.isEstimate);
  return `Approve payment of ${debit?.value ?? amount}`;
}

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
  if (noun !== "standing order") {
    const isFile = noun === "file of payments";
    const what = isFile ? `${payeeName}, ${amount} in total` : `${amount} to ${payeeName}`;
    const { paid } = summary.rows.find((row) => row.paid !== undefined) ?? {};
    const when = paid === undefined ? "" : `, to be paid ${paid}`;
    return `${approved} ${what}${from}${when}.${debitText(summary)}`;
  }
  const what = `${approved} a standing order to ${payeeName}${from}: ${amount}.`;
  const { eachCosts } = summary.rows.find((row) => row.eachCosts !== undefined) ?? {};
  if (eachCosts === undefined) return what + debitText(summary);
  // the charge is named once: what is known of the debit names the one of a single payment
  const { openRate } = summary;
  const debit = debitText({ ...summary, ...(openRate && { openRate: { charge: null } }) });
  return `${what} We charge ${eachCosts} for each payment.${debit}`;
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

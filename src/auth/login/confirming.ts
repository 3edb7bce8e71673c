import type { ChallengeSubject, ConfirmedDetail } from "#src/bank/challenge.ts";
import type { PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import { amountLabels } from "#src/pages/journey-parts.ts";
import { endsText } from "#src/pages/wording.ts";

const row = (label: string, value: string): SummaryRow => ({ label, value });

type Party = { name: string; account: string };
const payee = (label: string, { name, account }: Party): SummaryRow[] => [
  row(label, name),
  ...(account === "" || account === name ? [] : [row("Payee’s account", account)]),
];

const order = ["who", "debit", "cost", "when"];
// what leaves the account comes before its reasons
const rank = ({ about = "who", total }: SummaryRow): number =>
  order.indexOf(total ? "debit" : about);

/**
 * The facts of a payment that the customer confirms besides the amount and the payee, grouped as on
 * the page that shows the whole payment.
 */
export const confirmedDetails = ({ rows }: Pick<PaymentSummary, "rows">): ConfirmedDetail[] =>
  rows
    .filter(({ confirmed }) => confirmed)
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ label, value, isFingerprint }) => ({
      label,
      value,
      ...(isFingerprint ? { isFingerprint } : {}),
    }));

const orderLabels = {
  payment: { amount: "Pay", payee: "To" },
  "standing order": { amount: "Standing order", payee: "To" },
  file: { amount: "Pay in total", payee: "Payments" },
  "payment permission": { amount: "Allow payments", payee: "To" },
  signature: { amount: "Approve", payee: "To" },
};

/**
 * The rows of the second-factor page that show what the code confirms; none for logging in to the
 * bank's pages. The customer must be aware of amount and payee. Source: SCA-RTS article 5(1)(a).
 */
export function confirmingRows(subject: ChallengeSubject): SummaryRow[] {
  switch (subject.act) {
    case "login":
      return [];
    case "payment":
    case "standing order":
    case "file":
    case "payment permission":
    case "signature": {
      const labels = orderLabels[subject.act];
      return [
        row(labels.amount, subject.amount),
        ...payee(labels.payee, subject.payee),
        ...(subject.details ?? []),
      ];
    }
    case "access":
      return [
        row("Access for", subject.clientName),
        row("To see", subject.data.join(",\n")),
        row("Ends", endsText(subject.until)),
      ];
    case "funds confirmation":
      return [
        row("Allow funds checks by", subject.clientName),
        row("Account", subject.account),
        row("Ends", endsText(subject.until)),
      ];
    case "cancel order":
      return [
        row(subject.noun === "file of payments" ? "Payments" : "Payee", subject.payee),
        row(amountLabels[subject.noun], subject.amount),
        ...subject.details,
      ];
    case "cancel direct debit":
      return [row("Collected by", subject.originator), row("Reference", subject.reference)];
    case "add passkey":
      return [row("Add passkey", subject.name)];
    case "remove passkey":
      return [row("Remove passkey", subject.name)];
    case "save payee":
      return payee("Save payee", subject.payee);
    case "trust payee":
      return payee("Trust payee", subject.payee);
  }
}

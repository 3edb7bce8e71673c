import type { ChallengeSubject } from "#src/bank/challenge.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";

const row = (label: string, value: string): SummaryRow => ({ label, value });

type Party = { name: string; account: string };
const payee = (label: string, { name, account }: Party): SummaryRow[] => [
  row(label, name),
  ...(account === "" || account === name ? [] : [row("Account", account)]),
];

/**
 * The rows of the second-factor page that show what the code confirms; none for logging in to the
 * bank's pages. The customer must be aware of amount and payee. Source: SCA-RTS article 5(1)(a).
 */
export function confirmingRows(subject: ChallengeSubject): SummaryRow[] {
  switch (subject.act) {
    case "login":
      return [];
    case "payment":
      return [row("Pay", subject.amount), ...payee("To", subject.payee)];
    case "standing order":
      return [row("Standing order of", subject.amount), ...payee("To", subject.payee)];
    case "file":
      return [row("Pay in total", subject.amount), ...payee("Payments", subject.payee)];
    case "payment permission":
      return [
        row("Allow payments", subject.amount),
        ...payee("To", subject.payee),
        ...subject.limits,
      ];
    case "signature":
      return [row("Approve", subject.amount), ...payee("To", subject.payee)];
    case "access":
      return [
        row("Access for", subject.clientName),
        row("To see", subject.data.join(", ")),
        row("Access lasts", subject.until),
      ];
    case "funds confirmation":
      return [
        row("Allow funds checks by", subject.clientName),
        row("Account", subject.account),
        row("Allowed", subject.until),
      ];
    case "cancel order":
      return [row("Cancel", subject.amount), row("To", subject.payee), row("When", subject.detail)];
    case "cancel direct debit":
      return [row("Cancel direct debit of", subject.originator), row("Mandate", subject.reference)];
    case "save payee":
      return payee("Save payee", subject.payee);
    case "trust payee":
      return payee("Trust payee", subject.payee);
  }
}

import type { ConsentTerms } from "#src/consents/terms.ts";
import type { PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import type { PaymentRequest, RequestedLimits } from "#src/payments/request/payment-request.ts";
import {
  authenticatedByTpp,
  sweepingType,
  withoutAuthentication,
} from "#src/standard/shared/vrp-types.ts";
import type { Basis } from "./contracts.ts";
import { limitWords } from "./limit-words.ts";

// Describes to a customer what the payments of a consent are for, how each comes about, and to whom
// they go. Source: customer experience guidelines, Payment Initiation Services; B-187.

type BasisPurpose = Basis["purpose"];

const purposes: Readonly<Record<BasisPurpose, string>> = {
  bills: "Paying bills",
  subscriptions: "Paying for subscriptions",
  purchases: "Paying for purchases",
  finance: "Payments to a provider of savings, investments or loans",
  government: "Payments to a public body",
  scheme: "Payments to a company or another organisation",
};

const sweeping = "Moving money between your own accounts (sweeping)";

function purposeText(
  { uses }: RequestedLimits,
  { vrpContract }: Pick<ConsentTerms, "vrpContract">,
): string {
  if (!vrpContract || uses.type?.every((type) => type === sweepingType)) return sweeping;
  // as the contract has it
  const purpose = purposes[vrpContract.purpose as BasisPurpose];
  return uses.type?.includes(sweepingType) ? `${purpose}. ${sweeping}` : purpose;
}

const asks = ({ uses }: RequestedLimits) => ({
  eachTime: uses.authentication?.includes(withoutAuthentication) === false,
  sometimes: uses.authentication?.includes(authenticatedByTpp) === true,
});

function howText(limits: RequestedLimits): string {
  const { eachTime, sometimes } = asks(limits);
  if (eachTime) return "The app or website asks you to confirm each payment";
  if (sometimes) return "The app or website asks you to confirm some payments, but not all";
  const present = limits.uses.interaction ?? [];
  return present.length > 0 && !present.includes("OffSession")
    ? "Without asking you again, only while you use the app or website"
    : "Without asking you again, even when you are not using the app or website";
}

/** Returns the rows about the purpose of the payments and the presence of the customer. */
const useRows = (
  limits: RequestedLimits,
  terms: Pick<ConsentTerms, "vrpContract">,
): SummaryRow[] => [
  { label: "For", value: purposeText(limits, terms), about: "who", confirmed: false },
  { label: "How", value: howText(limits), about: "when", confirmed: false },
];

/** Returns the texts of a consent to variable recurring payments: its limits and their use. */
export function permissionWords(
  limits: RequestedLimits,
  { createdAt, terms }: { createdAt: Temporal.Instant; terms: Pick<ConsentTerms, "vrpContract"> },
): Pick<PaymentSummary, "amount" | "rows"> {
  const { amount, rows } = limitWords(limits, { createdAt });
  return { amount, rows: [...rows, ...useRows(limits, terms)] };
}

/** The payee of a consent whose payments each name their own. Source: V-102. */
export const anyPayee: Pick<PaymentSummary, "payeeName" | "payeeAccount" | "isAnyPayee"> = {
  isAnyPayee: true,
  payeeName: "Named with each payment",
  payeeAccount: "Any UK account",
};

const anyPayeeNote =
  "The app or website chooses the payee of each payment. It may pay any UK account.";

/** Returns what a customer should know before approving such payments. */
export function permissionNotes({
  limits,
  creditor,
}: Pick<PaymentRequest, "creditor"> & { limits: RequestedLimits }): string[] {
  const { eachTime, sometimes } = asks(limits);
  const how = eachTime
    ? "each time you confirm one in the app or website"
    : sometimes
      ? "and not all of them will need your confirmation"
      : "without asking you again";
  return [
    `No payment is made now. If you approve, payments within these limits will be made ${how}. ` +
      "You can cancel them at any time in online banking.",
    ...(creditor === null ? [anyPayeeNote] : []),
  ];
}

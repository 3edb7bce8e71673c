import type { AccountReference, BankAccount } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import { debtorCharges } from "#src/consents/terms.ts";
import type { Money } from "#src/lib/money.ts";
import type { PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import {
  accountNumberText,
  currencyText,
  moneyText,
  sortCodeText,
  weekdayText,
} from "#src/pages/wording.ts";
import {
  bankDate,
  bankZone,
  cutOffOf,
  executionInstant,
  hasCome,
  holidaysOf,
  isAtOnce,
  isWorkingDay,
} from "#src/payments/calendar/timing.ts";
import {
  type ListedOrder,
  type OrderPlan,
  type PaymentKind,
  requestOf,
} from "#src/payments/definitions/payment-kind.ts";
import { whyNotExchanged } from "#src/payments/international/summary.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";
import type { PlacedOrder } from "#src/payments/order/placed-order.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";

// Parts of the summary of a consent that several shapes have.

/** The payee of a payment. */
export const payeeOf = (
  creditor: AccountReference,
): Pick<PaymentSummary, "payeeName" | "payeeAccount"> => ({
  payeeName: creditor.name ?? creditor.identification,
  payeeAccount: accountNumberText(creditor.schemeName, creditor.identification),
});

/** The reference that the payee sees, if there is one. */
export const referenceRows = ({ reference }: Pick<PaymentDraft, "reference">): SummaryRow[] =>
  reference === null ? [] : [{ label: "Reference", value: reference }];

/** The reference and the roll number of a payment. */
export const payeeRows = ({ creditor, reference }: PaymentDraft): SummaryRow[] => [
  ...referenceRows({ reference }),
  ...(creditor.secondaryIdentification === null || creditor.secondaryIdentification === reference
    ? []
    : [{ label: "Roll number", value: creditor.secondaryIdentification }]),
];

/** How lists show an order of one payment. */
export const listedPayment = ({ payment }: PlacedOrder): ListedOrder => ({
  ...listedMoney(payment),
  lines: (day) => [day, ...referenceLines(payment)],
  rows: (day) => [{ label: "Date", value: day }, ...referenceRows(payment)],
});

/** The amount and the payee of a payment in a list. */
export const listedMoney = ({
  amount,
  creditor,
}: PaymentDraft): Pick<ListedOrder, "amount" | "payee"> => ({
  amount: moneyText(amount.amountMinor, amount.currency),
  payee: creditor.name ?? sortCodeText(creditor.identification),
});

/** The reference that the payee sees, as a line of a list. */
export const referenceLines = ({ reference }: Pick<PaymentDraft, "reference">): string[] =>
  reference === null ? [] : [`Reference ${reference}`];

/** The day that a request asks for, if that is no working day, so that another one is meant. */
export function askedDayRows(
  { executionDate }: Pick<PaymentRequest, "executionDate">,
  config: OrderPlan["config"],
): SummaryRow[] {
  const day = executionDate?.local.toPlainDate();
  if (!day || isWorkingDay(day, holidaysOf(config))) return [];
  const value = `${weekdayText(day)}, which is not a working day`;
  const facts = { askedOn: day.toString() };
  return [{ label: "Date requested", value, about: "when", confirmed: true, facts }];
}

/** The bank's charge to the debtor for a payment of this amount; null if there is none. */
export function chargeText(
  { terms }: Pick<OrderPlan, "terms">,
  { currency }: Money,
): string | null {
  const charged = debtorCharges(terms, currency);
  return charged === 0n ? null : moneyText(charged, currency);
}

/** Whether the payments are made only once others have approved them, as far as that is known. */
export const waitsForOthers = ({ placed, isShared = false }: OrderPlan): boolean =>
  isShared || placed !== undefined;

/** Whether the payments are made once others have approved, because their day has come. */
export const isDueOnApproval = (plan: OrderPlan, executeAt: Temporal.Instant | null): boolean =>
  waitsForOthers(plan) && executeAt !== null && hasCome(executeAt, plan.shownAt ?? plan.now);

/** The day before which immediate payments are not made, because a cut-off has passed. */
export function notBeforeOf(plan: OrderPlan): Pick<PaymentSummary, "notBefore"> {
  const { kind, request, now, config } = plan;
  const executeAt = executionInstant(kind, request, now, config);
  if (executeAt === null || !isAtOnce(kind.timing, request)) return {};
  return isDueOnApproval(plan, executeAt) ? {} : { notBefore: dayText(executeAt) };
}

/** The note about the cut-off of immediate payments. A file may name days of its own for them. */
export function cutOffNotes(plan: OrderPlan, hasOwnDays = false): string[] {
  const { kind, terms, now, config } = plan;
  if (terms.cutOff === undefined) return [];
  const rule = cutOffOf(kind, config);
  // nobody knows when the last of them approves
  if (plan.placed || ((plan.isShared || hasOwnDays) && rule.strategy !== "reject")) return [];
  const { notBefore } = notBeforeOf(plan);
  if (notBefore !== undefined) return [`It is too late for today. We will pay on ${notBefore}.`];
  const cutOff = terms.cutOff.toZonedDateTimeISO(bankZone);
  const isToday = cutOff.toPlainDate().equals(bankDate(now));
  const day = isToday ? "today" : `on ${dayText(terms.cutOff)}`;
  const time = cutOff.toPlainTime().toString({ smallestUnit: "minute" });
  return [
    rule.strategy === "reject"
      ? `Confirm before ${time} ${day}: after that the payment cannot be made.`
      : `Confirm before ${time} ${day} for the payment to be made that day.`,
  ];
}

/** The note about the details that the TPP gets for refunds, with the first approval. */
export const refundNotes = ({ request, placed }: OrderPlan): string[] =>
  request.readsRefundAccount && !placed
    ? [
        "Your account details will be shared with the company that you are paying through, " +
          "so that it can send you refunds.",
      ]
    : [];

/** The London day of an instant: `Tuesday 2 March 2027`. */
export const dayText = (instant: Temporal.Instant): string => weekdayText(bankDate(instant));

/**
 * The reason, in the customer's words, why an account's currency is not possible; null if it is.
 */
export function whyOtherCurrency(
  kind: PaymentKind,
  consent: Consent,
  account: BankAccount,
): string | null {
  if (kind.currencies === "exchanged")
    return whyNotExchanged(requestOf(kind, consent), consent.terms, account);
  return kind.currencies.includes(account.currency)
    ? null
    : `This account is in ${currencyText(account.currency)}.`;
}

import type { Bank } from "#src/bank/port.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import type { Money } from "#src/lib/money.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import { moneyText, onceApproved, youCanCancel } from "#src/pages/wording.ts";
import {
  bankDate,
  holidaysOf,
  isAtOnce,
  settlementInstant,
} from "#src/payments/calendar/timing.ts";
import {
  defineOrderShape,
  type OrderPlan,
  requestOf,
  type ServedKind,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import type { PispOperation } from "#src/payments/formats/pisp-operation.ts";
import { asItIs, debitRow } from "#src/payments/international/debit.ts";
import { exchangeRows, openRateOf, priceRows } from "#src/payments/international/summary.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";
import { fundsNotAtOnce } from "#src/payments/request/refusals.ts";
import {
  authorisedConsent,
  confirmation,
  debtorIdOf,
  selfOf,
} from "#src/payments/shapes/authorised-consent.ts";
import { paymentOf } from "#src/payments/shapes/draft-order.ts";
import { usesUpConsent } from "#src/payments/shapes/order-steps.ts";
import {
  askedDayRows,
  chargeText,
  cutOffNotes,
  dayText,
  isDueOnApproval,
  notBeforeOf,
  payeeOf,
  payeeRows,
  refundNotes,
  waitsForOthers,
  whyOtherCurrency,
} from "#src/payments/shapes/summary-parts.ts";

/** An order of one payment: at once, or on the requested day. */
export const single = defineOrderShape({
  ...usesUpConsent,
  noun: "payment",
  payments: (plan) => [paymentOf(plan)],
  summarise(plan) {
    const payment = shownPayment(plan);
    const { amountMinor, currency } = payment.amount;
    return {
      type: "payment",
      amount: moneyText(amountMinor, currency),
      ...payeeOf(payment.creditor),
      rows: [
        ...payeeRows(payment),
        ...dayRows(plan, payment),
        ...(payment.international
          ? exchangeRows(plan.terms, plan.request)
          : chargeRows(plan, payment)),
      ],
      ...(payment.international ? openRateOf(plan.terms) : {}),
      notes: [...cutOffNotes(plan), ...dateNotes(plan, payment), ...refundNotes(plan)],
      ...notBeforeOf(plan),
    };
  },
  price: {
    dependsOnAccount: ({ kind }) => kind.currencies === "exchanged",
    rows: (plan, account, bank) => priceRows(bank, shownPayment(plan), account, plan.terms),
  },
  whyOtherCurrency,
  consentOperations: (kind, deps, operation) =>
    kind.confirmsFunds ? [paymentConfirmation(kind, deps, operation)] : [],
});

const shownPayment = (plan: OrderPlan): PaymentDraft => plan.placed?.payment ?? paymentOf(plan);

function dayRows(plan: OrderPlan, { executeAt, localInstrument }: PaymentDraft): SummaryRow[] {
  const { kind, request, now, config } = plan;
  const about = "when" as const;
  const atOnce = isAtOnce(kind.timing, request);
  const isDue = isDueOnApproval(plan, executeAt);
  if ((atOnce && waitsForOthers(plan)) || isDue) {
    const earliest = executeAt === null || isDue ? null : dayText(executeAt);
    return [{ label: "Payment date", value: onceApproved(earliest), about }];
  }
  const execution = executeAt ?? now;
  const arrival = settlementInstant(localInstrument, execution, holidaysOf(config));
  const value = executeAt === null ? "Now" : dayText(executeAt);
  const facts = { paidOn: executeAt === null ? "now" : bankDate(executeAt).toString() };
  return [
    ...askedDayRows(request, config),
    // the account can show that others must approve a payment first that has no date of its own
    {
      label: "Payment date",
      value,
      about,
      ...(atOnce ? {} : { confirmed: true, facts, paid: `on ${value}` }),
    },
    ...(arrival.equals(execution) ? [] : [arrivalRow(arrival)]),
  ];
}

const arrivalRow = (arrival: Temporal.Instant): SummaryRow => ({
  label: "Arrives by",
  value: dayText(arrival),
  about: "when",
  facts: { arrivesOn: bankDate(arrival).toString() },
});

/** The charge, and what leaves the account together with it. */
function chargeRows(plan: OrderPlan, { amount, chargeMinor }: PaymentDraft): SummaryRow[] {
  const charge = chargeText(plan, amount);
  if (charge === null) return [];
  const charged = asItIs({ amountMinor: chargeMinor, currency: amount.currency });
  return [
    { label: "Bank charge", value: charge, about: "cost" },
    debitRow({ payments: [asItIs(amount)], charge: charged }),
  ];
}

/** The note about cancelling a payment that is made on a later day. */
function dateNotes(plan: OrderPlan, { international, executeAt }: PaymentDraft): string[] {
  if (isAtOnce(plan.kind.timing, plan.request) || isDueOnApproval(plan, executeAt)) return [];
  if (!international?.fundsAtOnce) {
    const can = youCanCancel(waitsForOthers(plan));
    return [`The money leaves your account on that day. ${can} in online banking until then.`];
  }
  const when = waitsForOthers(plan) ? "once all have approved" : "today";
  return [
    `The rate is fixed, so the money is set aside ${when} and the payment cannot be cancelled.`,
  ];
}

/** The operation that tells a TPP whether the funds for the payment of a consent are available. */
const paymentConfirmation = (
  kind: ServedKind,
  deps: ShapeDeps,
  operation: PispOperation,
): Operation =>
  operation({
    ...confirmation(kind),
    method: "GET",
    success: { status: 200, schema: kind.format.schemas.funds },
    refusals: { 400: ["U009", "U011"], 403: ["U011"] },
    handle: (request) => confirmPayment(kind, deps, request),
  });

async function confirmPayment(
  kind: ServedKind,
  deps: ShapeDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const consent = await authorisedConsent(kind, deps, request);
  const { config } = deps;
  const { now } = request;
  const asked = requestOf(kind, consent);
  const plan = { kind, request: asked, terms: consent.terms, now, config };
  const draft = paymentOf(plan);
  const accountId = debtorIdOf(consent);
  if (kind.timing.when === "onDate" && !draft.international?.fundsAtOnce)
    throw fundsNotAtOnce(kind.format.paths["rate.type"]);
  const debit = await debitOf(deps.bank, accountId, draft);
  const available = debit !== null && (await deps.bank.confirmFunds(accountId, debit));
  const self = selfOf(kind, request, consent);
  return { status: 200, body: kind.format.renderFunds({ available, now, self, asked: null }) };
}

/** The total debit of a payment now; null if it cannot be made. P-190. */
async function debitOf(
  bank: Bank,
  debtorAccountId: string,
  { amount, chargeMinor, international }: PaymentDraft,
): Promise<Money | null> {
  if (!international) return { ...amount, amountMinor: amount.amountMinor + chargeMinor };
  const price = await bank.price({ debtorAccountId, amount, international });
  if (price === null) return null;
  const charged = price.charge?.amountMinor ?? 0n;
  return { ...price.debit, amountMinor: price.debit.amountMinor + charged };
}

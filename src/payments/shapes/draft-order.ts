import type { AccountReference, BankAccount } from "#src/bank/port.ts";
import type { StatusReason } from "#src/consents/consent.ts";
import { debtorCharges } from "#src/consents/terms.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { earlierOf, toInstant } from "#src/lib/date-time.ts";
import {
  executionInstant,
  hasCome,
  holidaysOf,
  isAtOnce,
  laterOf,
  processingInstant,
} from "#src/payments/calendar/timing.ts";
import type {
  ConsentToUse,
  DraftedOrder,
  OrderPlan,
  OrderShape,
} from "#src/payments/definitions/payment-kind.ts";
import { internationalTerms } from "#src/payments/international/terms.ts";
import {
  awaitingSignatures,
  type OrderFamily,
  type PaymentStatus,
} from "#src/payments/order/order-states.ts";
import {
  debtorOf,
  derivedId,
  expectedDates,
  type OrderTerms,
  type OrderWithConsent,
  type Origin,
  type PaymentDraft,
  standardAccount,
} from "#src/payments/order/payment-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { PaymentRequest, RequestedAccount } from "#src/payments/request/payment-request.ts";

/** Drafts a payment of a checked request: this amount to its creditor, at home or abroad. */
export function draftPayment(
  plan: OrderPlan,
  { amount, executeAt }: Pick<PaymentDraft, "amount" | "executeAt">,
): PaymentDraft {
  const { kind, request, terms } = plan;
  const isAbroad = kind.currencies === "exchanged";
  return {
    amount,
    // the charge for a payment abroad is in the account's currency, from which the bank converts
    chargeMinor: isAbroad ? 0n : debtorCharges(terms, amount.currency),
    executeAt,
    creditor: accountReference(present(request.creditor, "the creditor account")),
    endToEndId: request.endToEndId,
    reference: request.reference,
    localInstrument: request.localInstrument,
    ...(isAbroad ? { international: internationalTerms(plan) } : {}),
  };
}

/** Converts a checked account into the format of the bank's port. */
export const accountReference = (account: RequestedAccount): AccountReference => ({
  schemeName: present(account.schemeName, "the scheme of a checked account"),
  identification: present(account.identification, "the identification of a checked account"),
  name: account.name,
  secondaryIdentification: account.secondaryIdentification,
});

/** The only payment of a checked request: its amount to its creditor. */
export function paymentOf(plan: OrderPlan): PaymentDraft {
  const { kind, request, now, config } = plan;
  const amount = present(request.amount?.money ?? null, "a checked amount");
  return draftPayment(plan, { amount, executeAt: executionInstant(kind, request, now, config) });
}

const receivedReason: StatusReason = {
  code: "U030",
  text: "The payment has been received.",
};

const signaturesReason: StatusReason = {
  code: "U040",
  text: "The payment is waiting for the other signatories.",
};

const signingDays = 7;

/** A consent that an order uses, by a request that has passed all checks. */
type Drafting = ConsentToUse & {
  request: Pick<OperationRequest, "body" | "now" | "interactionId">;
  /** The request that the order is made by. */
  asked: PaymentRequest;
  /** What the ids of the order and of its first payment follow from. */
  origin: Origin;
  /** The customer's device, if the core hears of it. */
  device: Pick<OrderTerms, "device">;
};

/** What the bank's core has decided about an order that it does not simply accept. */
export type OrderDecision = {
  reason: StatusReason<string>;
  /** Nothing is paid before then; null if the order is rejected. */
  notBefore: Temporal.Instant | null;
};

/**
 * Works out the order of a valid submission, and the payments that are known now. `decision`: what
 * the core has decided about it; absent if it was not asked, or accepts the order.
 */
export function draftOrder(
  drafting: Drafting,
  config: PaymentConfig,
  decision?: OrderDecision,
): DraftedOrder {
  const { kind, consent, use, request, asked, origin } = drafting;
  const { body, now, interactionId } = request;
  const plan = { kind, request: asked, terms: consent.terms, now, config, body };
  const order = orderOf(drafting, plan, decision);
  const notBefore = decision?.notBefore ?? null;
  const isDue = order.authorisationStatus !== "AWAF" && order.status !== "RJCT";
  let paymentId = derivedId("pay", origin);
  const payments = kind.shape.payments(plan).map((draft, index) => {
    if (index > 0) paymentId = derivedId("pay", { of: "payment", paymentId });
    const executeAt = laterOf(draft.executeAt, notBefore);
    // an order that is created as pending has no other step before its payments are made, unless
    // the customer was told that the funds are reserved at once
    const waits = order.status === "PDNG" && !draft.international?.fundsAtOnce;
    const dueAt = isDue ? (waits ? executeAt : now) : null;
    return { ...draft, executeAt, paymentId, dueAt };
  });
  const drafted = {
    kind,
    consent,
    course: kind.consent,
    asked,
    order,
    payments,
    use,
    interactionId,
  };
  return notBefore === null ? drafted : { ...drafted, notBefore };
}

function orderOf(
  { kind, consent, asked, origin, device }: Drafting,
  plan: Parameters<NonNullable<OrderShape["additions"]>>[0],
  decision: OrderDecision | undefined,
): OrderWithConsent {
  const { now, config } = plan;
  const debtor = present(consent.debtor, "the account of an authorised consent");
  const rejection = kind.shape.rejectionOf?.(asked, config) ?? null;
  const initial = initialOf(kind.family, debtor, rejection, decision);
  const several = debtor.signatoriesRequired > 1 && initial.status !== "RJCT";
  const planned = executionInstant(kind, asked, now, config);
  const execution = laterOf(planned, decision?.notBefore ?? null);
  const customerId = present(consent.customerId, "the customer of an authorised consent");
  const additions = kind.shape.additions?.(plan);
  const fileDay = consent.terms.file?.firstDay;
  const ownDay = fileDay ? processingInstant(fileDay, holidaysOf(config)) : null;
  const askedDay = isAtOnce(kind.timing, asked) ? null : execution;
  const startsAt = additions?.startsAt ?? ownDay ?? askedDay;
  return {
    orderId: derivedId(kind.orderIdPrefix, origin),
    consentId: consent.consentId,
    kind: kind.id,
    family: kind.family,
    apiVersion: kind.format.version.id,
    clientId: consent.clientId,
    customerId,
    debtorAccountId: debtor.accountId,
    ...initial,
    createdAt: now,
    statusUpdatedAt: now,
    terms: {
      debtor: debtorOf(debtor, asked, kind),
      ...(asked.readsRefundAccount ? { refund: standardAccount(debtor, asked) } : {}),
      ...(!kind.givesExpectedDates || (several && execution === null)
        ? {}
        : { expected: expectedDates(execution ?? now, asked, config) }),
      ...additions?.terms,
      ...device,
    },
    signatoriesRequired: several ? debtor.signatoriesRequired : null,
    signatoriesReceived: several ? 1 : null,
    authorisationStatus: several ? "AWAF" : null,
    authorisationUpdatedAt: several ? now : null,
    authorisationExpiresAt: several ? signingEnd(asked, startsAt, now) : null,
    signedBy: [customerId],
    consentBody: consent.body,
    consentVersion: consent.apiVersion,
    consentTerms: consent.terms,
  };
}

/** The status with which an order is created, and the reason. Source: D-401-22, P-165, V-126. */
function initialOf(
  family: OrderFamily,
  { signatoriesRequired }: Pick<BankAccount, "signatoriesRequired">,
  rejection: StatusReason | null,
  decision: OrderDecision | undefined,
): Pick<OrderWithConsent, "status" | "statusReason"> & { status: PaymentStatus } {
  const refusal = rejection ?? (decision?.notBefore === null ? decision.reason : null);
  if (refusal) return { status: "RJCT", statusReason: [refusal] };
  if (signatoriesRequired > 1) {
    return { status: awaitingSignatures(family), statusReason: [signaturesReason] };
  }
  if (decision) return { status: "PDNG", statusReason: [decision.reason] };
  return { status: "RCVD", statusReason: [receivedReason] };
}

/** The deadline for signatures: at the latest the start of the payments, if it is to come. */
function signingEnd(
  { authorisation: { completion } }: PaymentRequest,
  startsAt: Temporal.Instant | null,
  now: Temporal.Instant,
): Temporal.Instant {
  const asked = completion ? toInstant(completion) : now.add({ hours: 24 * signingDays });
  return earlierOf(asked, startsAt && hasCome(startsAt, now) ? null : startsAt);
}

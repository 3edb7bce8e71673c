import type { Consent, StatusReason } from "#src/consents/consent.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { type ParsedDateTime, toInstant } from "#src/lib/date-time.ts";
import { executionInstant } from "#src/payments/calendar/execution-instant.ts";
import { processingInstant } from "#src/payments/calendar/timing.ts";
import { type Holidays, holidaysOf } from "#src/payments/calendar/working-days.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import { filePaymentRows } from "#src/payments/files/file-payment-rows.ts";
import type { ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { derivedId, type Origin } from "#src/payments/order/derived-id.ts";
import { expectedDates } from "#src/payments/order/expected-dates.ts";
import type { OrderWithConsent } from "#src/payments/order/load-order.ts";
import {
  awaitingSignatures,
  type OrderFamily,
  type PaymentStatus,
} from "#src/payments/order/order-states.ts";
import { debtorOf, standardAccount } from "#src/payments/order/payment-order.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import type { Schedule } from "#src/payments/schedule/schedule.ts";
import { toScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import { createOrders, type NewOrder, type NewPayment } from "./create-order.ts";

const receivedReason: StatusReason = {
  code: "U030",
  text: "The payment has been received.",
};

const signaturesReason: StatusReason = {
  code: "U040",
  text: "The payment is waiting for the other signatories.",
};

const signingDays = 7;

/** The inputs of a new order. */
export type Drafted = {
  consent: Consent;
  asked: PaymentRequest;
  /** Why the bank rejects the order on creation; null if it accepts the order. */
  rejection: StatusReason | null;
  /** What the ids of the order and of its first payment follow from. */
  origin: Origin;
};

/** The order that a valid submission creates. */
export function draftOrder(
  kind: ServedKind,
  { config }: PaymentDeps,
  { consent, asked, rejection, origin }: Drafted,
  { body, now }: OperationRequest,
): OrderWithConsent {
  const debtor = present(consent.debtor, "the account of an authorised consent");
  const several = debtor.signatoriesRequired > 1;
  const { completion } = asked.authorisation;
  const execution = executionInstant(kind, asked, now, config);
  const customerId = present(consent.customerId, "the customer of an authorised consent");
  const plan = { kind, request: asked, terms: consent.terms, now, config };
  const schedule = kind.shape.schedule?.(plan);
  const initial = initialOf(kind.family, several, rejection);
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
      ...(asked.use ? { use: asked.use } : {}),
      ...(kind.format.ownParts ? { sent: kind.format.ownParts(body) } : {}),
      ...(schedule ? { schedule: toScheduleRecord(schedule) } : {}),
      ...(asked.schedule?.mandate ? { mandate: asked.schedule.mandate } : {}),
      ...(asked.schedule?.remittance ? { remittance: asked.schedule.remittance } : {}),
    },
    signatoriesRequired: several ? debtor.signatoriesRequired : null,
    signatoriesReceived: several ? 1 : null,
    authorisationStatus: several ? "AWAF" : null,
    authorisationUpdatedAt: several ? now : null,
    authorisationExpiresAt: several
      ? signingEnd(completion, schedule, now, holidaysOf(config))
      : null,
    signedBy: [customerId],
    consentBody: consent.body,
    consentVersion: consent.apiVersion,
    consentTerms: consent.terms,
  };
}

/** The status with which an order is created, and the reason. Source: D-401-22, V-126. */
function initialOf(
  family: OrderFamily,
  several: boolean,
  rejection: StatusReason | null,
): { status: PaymentStatus; statusReason: StatusReason[] } {
  if (rejection) return { status: "RJCT", statusReason: [rejection] };
  if (!several) return { status: "RCVD", statusReason: [receivedReason] };
  return { status: awaitingSignatures(family), statusReason: [signaturesReason] };
}

/** The deadline for signatures. For a schedule, it is before the first day. */
function signingEnd(
  completion: ParsedDateTime | null,
  schedule: Schedule | undefined,
  now: Temporal.Instant,
  holidays: Holidays,
): Temporal.Instant {
  const asked = completion ? toInstant(completion) : now.add({ hours: 24 * signingDays });
  const start = schedule && processingInstant(schedule.firstDate, holidays);
  return start && Temporal.Instant.compare(start, asked) < 0 ? start : asked;
}

/** The payments that are known now; the payments of a file are in the database. */
export function draftPayments(
  kind: ServedKind,
  { config }: PaymentDeps,
  { order, asked, origin }: { order: OrderWithConsent; asked: PaymentRequest; origin: Origin },
  now: Temporal.Instant,
): NewPayment[] {
  const { consentTerms: terms } = order;
  const isDue = order.authorisationStatus !== "AWAF" && order.status !== "RJCT";
  const dueAt = isDue ? now : null;
  const drafts = kind.shape.payments({
    kind,
    request: asked,
    terms,
    now,
    config,
  });
  let paymentId = derivedId("pay", origin);
  return drafts.map((draft, index) => {
    if (index > 0) paymentId = derivedId("pay", { of: "payment", paymentId });
    return { ...draft, paymentId, dueAt };
  });
}

/** Creates an order with the payments of the file that was uploaded to its consent. */
export async function createOfFile(
  kind: ServedKind,
  { config, database }: PaymentDeps,
  created: NewOrder & { order: OrderWithConsent },
  asked: PaymentRequest,
): Promise<boolean> {
  const { createdAt: now, consentTerms, authorisationStatus } = created.order;
  const executeAt = executionInstant(kind, asked, now, config);
  const { fileId } = present(consentTerms.file, "the file of an authorised consent");
  const waiting = authorisationStatus === "AWAF";
  const rows = filePaymentRows(fileId, { executeAt, now, waiting });
  // the statement takes seconds, so it has a separate connection where no one waits behind it
  const [isCreated] = await database.transaction((on) => createOrders(on, [created], rows));
  return isCreated === true;
}

import type { Consent } from "#src/consents/consent.ts";
import type { OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { bankDay } from "#src/payments/calendar/timing.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import { bodyOn } from "#src/payments/formats/format.ts";
import { requestOf, type ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { limitWindows, rejectionOf } from "#src/payments/limits/order-limits.ts";
import { derivedId, type Origin } from "#src/payments/order/derived-id.ts";
import {
  consentOf,
  countOrders,
  loadOrder,
  type OrderWithConsent,
} from "#src/payments/order/load-order.ts";
import { exposeStatus } from "#src/payments/order/order-states.ts";
import { type OrderSchemas, orderSchema } from "#src/payments/pisp-operation.ts";
import type { BoundKey, KeyUse, SentKey } from "#src/payments/request/idempotency-key.ts";
import { judgeRequest } from "#src/payments/request/match.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { keyOf } from "#src/payments/request/refusals.ts";
import type { NewOrder, orderCreation } from "./create-order.ts";
import { createOfFile, draftOrder, draftPayments } from "./draft-order.ts";
import type { limitedCreation, Taking } from "./limits.ts";
import { loadSubmission, type prepareSubmission, type Submission } from "./load-submission.ts";
import { judgeStored, judgeSubmission } from "./submission-steps.ts";

// How an order is created: the HTTP layer has checked the request, and the operation's `load` has
// read the consent and the idempotency key together with the token. submit() checks the submission
// by the steps of submission-steps.ts, draft-order.ts works out the order and its payments, and
// create-order.ts stores them in one statement, which also uses the consent and binds the key.
// Within limits, that statement decides the last step. A request that was answered before gets its
// order in its current state. order-operations.ts declares the operations.

/**
 * The dependencies of creating orders. All kinds share one creation, so that their orders share
 * batches.
 */
export type OrderDeps = PaymentDeps & {
  createOrder: ReturnType<typeof orderCreation>;
  createWithinLimits: ReturnType<typeof limitedCreation>;
  submission: ReturnType<typeof prepareSubmission>;
};

/** The operation for which the idempotency key of an order is used. */
export const submissionPath = ({ id, format }: ServedKind): string =>
  `POST ${format.version.basePath}/${id}s`;

// Each look finds either an earlier order or a reason to refuse. A second look is needed if another
// request came in between, and a third only if the key's 24 hours ended at that moment.
const looks = 3;

/** Creates an order, or returns the order that the same request has already created. */
export async function submit(
  kind: ServedKind,
  schemas: OrderSchemas,
  deps: OrderDeps,
  request: OperationRequest<Submission>,
): Promise<OperationReply> {
  const { clientId, consent: granted } = request.access;
  const ordered = kind.format.read(request.body);
  const { consentId } = ordered;
  const sent: SentKey = { clientId, operation: submissionPath(kind), key: keyOf(request) };
  for (let look = 0; look < looks; look++) {
    const isKnown = look === 0 && consentId === granted?.consentId;
    const { consent: found, bound } = isKnown
      ? request.loaded
      : await loadSubmission(deps.database, consentId, sent, request.now);
    const { config } = deps;
    const judged = judgeRequest(orderSchema(schemas, found), request.body);
    const earlier = bound && { bound, order: await orderOf(deps, bound) };
    judgeSubmission({ kind, config, request, ordered, consent: found, earlier, ...judged });
    if (earlier) return orderReply(kind, request, 201, earlier.order);
    const consent = present(found, "the consent of a submission that passed its checks");
    const asked = requestedBy(kind, consent, ordered);
    const fingerprint = present(judged.fingerprint, "a body without faults has one");
    const use = { ...sent, fingerprint };
    // at the first look there is nothing to wait for
    const isFirst = look === 0 || !kind.shape.permission;
    const repeats = isFirst ? 0 : await countRepeats(kind, deps, consent, use);
    const origin = originOf(kind, consent, use, repeats);
    const rejection = kind.shape.permission ? rejectionOf(asked, config) : null;
    const order = draftOrder(kind, deps, { consent, asked, rejection, origin }, request);
    const payments = draftPayments(kind, deps, { order, asked, origin }, request.now);
    const { interactionId } = request;
    const created = { consent, course: kind.consent, order, payments, use, interactionId };
    const { isCreated, exceeded } = await create(kind, deps, { created, consent, asked }, request);
    judgeStored({ kind, asked, exceeded });
    if (isCreated) {
      deps.wake();
      return orderReply(kind, request, 201, order);
    }
  }
  throw new Error("an order was neither created nor found");
}

/** What the ids of an order under this consent follow from. */
function originOf(
  { shape }: ServedKind,
  { consentId }: Consent,
  { operation, key, fingerprint }: KeyUse,
  earlier: number,
): Origin {
  if (!shape.permission) return { of: "consent", consentId };
  return { of: "request", consentId, operation, key, fingerprint, earlier };
}

/**
 * Counts the earlier orders of the same consent, key and body. After 24 hours, a TPP may use a key
 * again, and the new order is another payment. Most orders need no count, because the statement
 * that stores an order refuses an id that exists already. Source: P-053.
 */
const countRepeats = (
  kind: ServedKind,
  { database }: OrderDeps,
  consent: Consent,
  use: KeyUse,
): Promise<number> =>
  countOrders(database, (earlier) =>
    derivedId(kind.orderIdPrefix, originOf(kind, consent, use, earlier)),
  );

/**
 * The request of an order: that of its consent. An order within limits states its own payment and
 * takes the rest from its consent. If the consent names a payee, the order has the same payee. That
 * payee is read from the consent, because the order's version may shorten the name. Source: V-101,
 * V-176.
 */
function requestedBy(kind: ServedKind, consent: Consent, ordered: PaymentRequest): PaymentRequest {
  const consented = requestOf(kind, consent);
  if (!kind.shape.permission) return consented;
  const { debtor, authorisation, readsRefundAccount, limits } = consented;
  const creditor = consented.creditor ?? ordered.creditor;
  return { ...ordered, debtor, creditor, authorisation, readsRefundAccount, limits };
}

type Drafted = {
  created: NewOrder & { order: OrderWithConsent };
  consent: Consent;
  asked: PaymentRequest;
};

/** Creates an order as its kind requires; `isCreated` is false if another request was first. */
async function create(
  kind: ServedKind,
  deps: OrderDeps,
  { created, consent, asked }: Drafted,
  { now }: OperationRequest,
): Promise<Taking> {
  if (!kind.shape.permission) {
    const isOfFile = kind.shape.isPricedOnUpload;
    const creating = isOfFile
      ? createOfFile(kind, deps, created, asked)
      : deps.createOrder(created);
    return { isCreated: await creating, exceeded: [] };
  }
  const limits = present(asked.limits, "the limits of a consent");
  const day = bankDay(now);
  const windows = limitWindows(limits, { createdAt: consent.createdAt, today: day });
  return deps.createWithinLimits({ ...created, day, limits: windows });
}

const orderOf = async ({ database }: OrderDeps, { resourceId }: BoundKey) =>
  present(await loadOrder(database, resourceId), "a key's order");

/** The response with an order. */
export function orderReply(
  kind: ServedKind,
  request: OperationRequest,
  status: number,
  order: OrderWithConsent,
): OperationReply {
  const self = `${request.baseUrl}/${kind.id}s/${order.orderId}`;
  const { format } = kind;
  const consentBody = bodyOn(format, consentOf(order));
  const shown = exposeStatus(format.statuses, order.status);
  const { sent } = order.terms;
  const own = sent ? bodyOn(format, { apiVersion: order.apiVersion, body: sent }) : null;
  const named = { idField: kind.orderIdField, status: shown };
  return { status, body: format.renderOrder({ ...order, consentBody }, { ...named, own }, self) };
}

import type { OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import {
  type FoundSubmission,
  requestOf,
  type ServedKind,
} from "#src/payments/definitions/payment-kind.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import { bodyOn } from "#src/payments/formats/format.ts";
import type { CreateOrder } from "#src/payments/order/create-order.ts";
import { consentOf, loadOrder, type OrderWithConsent } from "#src/payments/order/load-order.ts";
import { exposeStatus } from "#src/payments/order/order-states.ts";
import { type OrderSchemas, orderSchema } from "#src/payments/pisp-operation.ts";
import type { BoundKey, SentKey } from "#src/payments/request/idempotency-key.ts";
import { judgeRequest } from "#src/payments/request/match.ts";
import { keyOf } from "#src/payments/request/refusals.ts";
import { draftOrder } from "./draft-order.ts";
import { loadSubmission, type prepareSubmission, type Submission } from "./load-submission.ts";

// How an order is created: the HTTP layer has checked the request, and the operation's `load` has
// read the consent and the idempotency key together with the token. submit() checks the submission
// by the steps of the kind's shape, draft-order.ts works out the order and its payments, and the
// shape stores them in one statement (order/create-order.ts), which also uses the consent and binds
// the key. That statement may decide the last steps. A request that was answered before gets its
// order in its current state. order-operations.ts declares the operations.

/** The dependencies of creating orders. */
export type OrderDeps = PaymentDeps & {
  createOrder: CreateOrder;
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
  { schemas, steps }: { schemas: OrderSchemas; steps: SubmissionSteps },
  deps: OrderDeps,
  request: OperationRequest<Submission>,
): Promise<OperationReply> {
  const { access, body, loaded, now } = request;
  const { config, database } = deps;
  const ordered = kind.format.read(body);
  const { consentId } = ordered;
  const key = { clientId: access.clientId, operation: submissionPath(kind), key: keyOf(request) };
  for (let look = 0; look < looks; look++) {
    const isLoaded = look === 0 && consentId === access.consent?.consentId;
    const stored = isLoaded ? loaded : await loadSubmission(database, consentId, key, now);
    const { consent, bound } = stored;
    const earlier = bound && { bound, order: await orderOf(deps, bound) };
    const judged = judgeRequest(orderSchema(schemas, consent), body);
    const submission = { kind, config, request, ordered, consent, earlier, ...judged };
    steps.replay.run(submission);
    if (earlier) return orderReply(kind, request, 201, earlier.order);
    const found = steps.order.run(submission);
    const order = await create(found, { key, steps, isRepeated: look > 0 }, deps);
    if (order !== null) return orderReply(kind, request, 201, order);
  }
  throw new Error("an order was neither created nor found");
}

/** The steps of a submission, made ready for a kind. */
type SubmissionSteps = ReturnType<typeof submissionStepsOf>;

/** Makes the steps of a kind ready, and lists their names in their order. */
export function submissionStepsOf(kind: ServedKind) {
  const { steps } = kind.shape;
  const replay = steps.replay.of(kind);
  const order = steps.order.of(kind);
  const storing = steps.storing?.of(kind);
  const names = [replay, order, ...(storing ? [storing] : [])].flatMap((list) => list.names);
  return { replay, order, storing, names };
}

/** Creates the order of a submission; null if another request was first. */
async function create(
  { kind, request, ordered, consent, fingerprint }: FoundSubmission,
  { key, steps, isRepeated }: { key: SentKey; steps: SubmissionSteps; isRepeated: boolean },
  deps: OrderDeps,
): Promise<OrderWithConsent | null> {
  const { shape } = kind;
  const use = { ...key, fingerprint: present(fingerprint, "a body without faults has one") };
  const asked = shape.requestedBy(requestOf(kind, consent), ordered);
  const using = { kind, consent, use, isRepeated };
  const origin = await shape.originOf(using, deps);
  const drafted = draftOrder({ ...using, request, asked, origin }, deps.config);
  const taking = await shape.create(drafted, deps);
  steps.storing?.run({ kind, asked, ...taking });
  if (!taking.isCreated) return null;
  deps.wake();
  return drafted.order;
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

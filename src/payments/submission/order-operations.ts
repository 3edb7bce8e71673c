import Type from "typebox";
import { type Consent, type ConsentRow, consentOfRow, consentRow } from "#src/consents/consent.ts";
import { heardDevice } from "#src/consents/heard-device.ts";
import { type AccessSql, accessFacts } from "#src/http/access/access.ts";
import type { ListedRefusals } from "#src/http/api-error.ts";
import type { CompiledSchema } from "#src/http/body/validate.ts";
import { idempotencyHeader } from "#src/http/headers/request-headers.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import {
  type FoundSubmission,
  orderParameter,
  ownOrder,
  type PaymentDeps,
  requestOf,
  type ServedKind,
} from "#src/payments/definitions/payment-kind.ts";
import { readDetails } from "#src/payments/details/read-details.ts";
import { bodyOn } from "#src/payments/formats/format.ts";
import { compileRequest, pispOperation } from "#src/payments/formats/pisp-operation.ts";
import type { CreateOrder } from "#src/payments/order/create-order.ts";
import { exposeStatus } from "#src/payments/order/order-states.ts";
import { consentOf, loadOrder, type OrderWithConsent } from "#src/payments/order/payment-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import {
  type BoundKey,
  boundKeyRow,
  loadBoundKey,
  type SentKey,
} from "#src/payments/request/idempotency-key.ts";
import { judgeRequest } from "#src/payments/request/match.ts";
import { orderWords } from "#src/payments/request/member-words.ts";
import { keyOf, paramOf, withKeyRefusals } from "#src/payments/request/refusals.ts";
import { draftOrder } from "#src/payments/shapes/draft-order.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { PropertyWords } from "#src/standard/descriptions/property-words.ts";
import type { Database } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";
import { assessOrder } from "./assess-order.ts";

// How an order is created: the HTTP layer has checked the request, and the operation's `load` has
// read the consent and the idempotency key together with the token. submit() checks the submission
// by the steps of the kind's shape, shapes/draft-order.ts works out the order and its payments,
// assess-order.ts asks the bank's core about it if the core wants to be asked, and the shape stores
// them in one statement (order/create-order.ts), which also uses the consent and binds the key.
// That statement may decide the last steps. A request that was answered before gets its order in
// its current state.

/** The operations on a kind's orders. */
export function orderOperations(kind: ServedKind, deps: OrderDeps): Operation[] {
  const stem = `${kind.id}s`;
  const format = kind.format;
  const own = kind.shape.refusals;
  const schemas = compileOrders(kind, deps.config);
  const steps = submissionStepsOf(kind);
  const operation = pispOperation(kind.format, kind.tag, stem);
  const success = { status: 200, schema: format.schemas.orderResponse };
  const refusals: ListedRefusals = { 400: ["U011"], 403: ["U011"] };
  return [
    operation({
      method: "POST",
      path: `/${stem}`,
      name: "submit",
      summary: "Submit an order",
      grant: "authorization_code",
      request: format.schemas.orderRequest,
      ...(format.instruction?.payloadVersions
        ? { headers: { "payload-version": payloadVersion } }
        : {}),
      success: { ...success, status: 201 },
      refusals: withKeyRefusals(
        { 400: [...codes, ...(own?.[400] ?? [])], 403: ["U011", ...(own?.[403] ?? [])] },
        format,
      ),
      load: ({ credentials, headers, now }) => {
        const given = headers[idempotencyHeader];
        const key = typeof given === "string" ? given : null;
        const { tokenHash } = credentials;
        const statement = deps.submission({ tokenHash, operation: submissionPath(kind), key, now });
        return { statement, read: submissionOf };
      },
      steps: steps.names,
      handle: (request) => submit(kind, { schemas, steps }, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:${orderParameter(kind)}`,
      name: "readOrder",
      summary: "Read an order",
      success,
      refusals,
      handle: (request) => read(kind, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:${orderParameter(kind)}/payment-details`,
      name: "readDetails",
      summary: "Read the payments of an order",
      success: { status: 200, schema: format.schemas.details },
      refusals,
      handle: (request) => readDetails(kind, deps, request),
    }),
    ...(kind.shape.orderOperations?.(kind, deps) ?? []),
  ];
}

// biome-ignore format: a list of codes
const codes = ["U002", "U003", "U004", "U005", "U008", "U009", "U010", "U011", "U012"] as const;

const payloadVersion = {
  description: "The API version of the body, if it differs from the version in the path.",
  schema: Type.String(),
};

async function read(
  kind: ServedKind,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const order = await loadOrder(deps.database, paramOf(request, orderParameter(kind)));
  return orderReply(kind, request, 200, ownOrder(kind, order, request));
}

/** The compiled schemas of a format's orders. */
type OrderSchemas = {
  own: CompiledSchema;
  /** The schemas of orders under consents of earlier versions, if they differ. */
  earlier: ReadonlyMap<ApiVersionId, CompiledSchema>;
};

/** Compiles the schemas of a kind's orders: its own, and those for consents of other versions. */
function compileOrders(kind: ServedKind, config: Pick<PaymentConfig, "STRICT_OAS">): OrderSchemas {
  const { format } = kind;
  const { orderRequest } = format.schemas;
  const words = orderWords(kind);
  const earlier = Object.entries(format.earlier ?? {}).flatMap(([id, { judgedBy }]) =>
    judgedBy
      ? [[id as ApiVersionId, compileRequest({ judgedBy }, orderRequest, config, words)] as const]
      : [],
  );
  return { own: compileRequest(format, orderRequest, config, words), earlier: new Map(earlier) };
}

/** Returns the schema of an order, given its consent, or null if there is none. */
const orderSchema = (
  { own, earlier }: OrderSchemas,
  consent: Pick<Consent, "apiVersion"> | null,
): CompiledSchema => (consent && earlier.get(consent.apiVersion)) ?? own;

/** The stored facts about an order that is being submitted. */
type Submission = { consent: Consent | null; bound: BoundKey | null };

/** The columns of a submission. The columns of a table without a row are all null. */
type SubmissionRow = { [Member in keyof ConsentRow]: ConsentRow[Member] | null } & {
  [Member in keyof BoundKey]: BoundKey[Member] | null;
};

type Asked = { operation: string; key: string | null; now: Temporal.Instant };

/**
 * Prepares the statement that reads the access of a token with the submission of its own consent:
 * the columns of `AccessRow` and of `SubmissionRow`. Most orders name that consent, and nothing
 * else has to be read for them. `offset 0` keeps the lookup of the key a subquery, which uses the
 * whole primary key. As a join, the lookup could read the keys of all clients.
 */
export const prepareSubmission = (accessRow: AccessSql) =>
  prepare(
    ({ tokenHash, operation, key, now }: Asked & { tokenHash: string | null }) => sql`
    select ${accessFacts} as access, c.*, k.fingerprint, k."resourceId"
    from (${accessRow(tokenHash)}) access
    left join lateral (${consentRow(sql`access.consent_id`)}) c on true
    left join lateral (
      ${boundKeyRow({ clientId: sql`access.token_client_id`, operation, key }, now)}
      offset 0) k on true`,
  );

/** Reads the submission from such a row. */
function submissionOf(row: SubmissionRow): Submission {
  const { fingerprint, resourceId, ...consent } = row;
  return {
    consent: consent.consentId === null ? null : consentOfRow<Consent>(consent as ConsentRow),
    bound: fingerprint === null || resourceId === null ? null : { fingerprint, resourceId },
  };
}

const submissionRow = prepare((asked: Asked & { consentId: string | null; clientId: string }) => {
  const { consentId, clientId, operation, key, now } = asked;
  return sql`
      select c.*, k.fingerprint, k."resourceId" from (values (1)) as once
        left join (${consentRow(consentId)}) c on true
        left join (${boundKeyRow({ clientId, operation, key }, now)}) k on true`;
});

/** Loads in one round trip the consent that an order names and the binding of its key. */
async function loadSubmission(
  database: Database,
  consentId: string | null,
  { clientId, operation, key }: SentKey,
  now: Temporal.Instant,
): Promise<Submission> {
  const asked = { consentId, clientId, operation, key, now };
  const [row] = await database.read<SubmissionRow>(submissionRow(asked));
  return submissionOf(present(row, "the row of the submission"));
}

/** The dependencies of creating orders. */
type OrderDeps = PaymentDeps & {
  createOrder: CreateOrder;
  submission: ReturnType<typeof prepareSubmission>;
};

/** The operation for which the idempotency key of an order is used. */
const submissionPath = ({ id, format }: ServedKind): string =>
  `POST ${format.version.basePath}/${id}s`;

// Each look finds either an earlier order or a reason to refuse. A second look is needed if another
// request came in between, and a third only if the key's 24 hours ended at that moment.
const looks = 3;

/** Creates an order, or returns the order that the same request has already created. */
async function submit(
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
    const words = (): PropertyWords => wordsUnder(kind, consent, access);
    const judged = judgeRequest(orderSchema(schemas, consent), body, words);
    const submission = { kind, config, request, ordered, consent, earlier, ...judged };
    steps.replay.run(submission, request.passed);
    if (earlier) return { ...orderReply(kind, request, 201, earlier.order), isReplay: true };
    const found = steps.order.run(submission, request.passed);
    const order = await create(found, { key, steps, isRepeated: look > 0 }, deps);
    if (order !== null) return orderReply(kind, request, 201, order);
  }
  throw new Error("an order was neither created nor found");
}

/**
 * What an order must have in some members under the consent of its token, which must be of the same
 * version: another one may name or form them differently.
 */
function wordsUnder(
  { format: { instruction, version } }: ServedKind,
  consent: Consent | null,
  access: OperationRequest["access"],
): PropertyWords {
  const isOwn = consent !== null && consent.consentId === access.consent?.consentId;
  return isOwn && consent.apiVersion === version.id
    ? (instruction?.wordsOf?.(consent.body) ?? {})
    : {};
}

/** The steps of a submission, made ready for a kind. */
type SubmissionSteps = ReturnType<typeof submissionStepsOf>;

/** Makes the steps of a kind ready, and lists their names in their order. */
function submissionStepsOf(kind: ServedKind) {
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
  const device = heardDevice("order", deps.bank, request);
  const drafting = { ...using, request, asked, origin, device };
  const accepted = draftOrder(drafting, deps.config);
  // a core without the call costs an order nothing
  const decision = deps.bank.assessOrder && (await assessOrder(deps, accepted));
  const drafted = decision ? draftOrder(drafting, deps.config, decision) : accepted;
  const taking = await shape.create(drafted, deps);
  // the same request may have been first, and have used what is left of a limit
  if (!taking.isCreated && (await loadBoundKey(deps.database, key, request.now))) return null;
  steps.storing?.run({ kind, asked, ...taking }, request.passed);
  if (!taking.isCreated) return null;
  deps.wake();
  return drafted.order;
}

const orderOf = async ({ database }: OrderDeps, { resourceId }: BoundKey) =>
  present(await loadOrder(database, resourceId), "a key's order");

/** The response with an order. */
function orderReply(
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

import type { Consent, StatusReason } from "#src/consents/consent.ts";
import { notYours } from "#src/http/access.ts";
import type { AccessRow } from "#src/http/access-row.ts";
import { ApiError, type ListedRefusals, refusal } from "#src/http/api-error.ts";
import { idempotencyHeader } from "#src/http/idempotency.ts";
import {
  type Operation,
  type OperationReply,
  type OperationRequest,
  OutgoingFile,
} from "#src/http/operation.ts";
import { type CompiledSchema, judge } from "#src/http/validate.ts";
import { assert, present } from "#src/lib/assert.ts";
import { type ParsedDateTime, parseDateTime, toInstant } from "#src/lib/date-time.ts";
import { newId } from "#src/lib/ids.ts";
import { cutOffOf } from "#src/payments/calendar/cut-off.ts";
import { executionInstant } from "#src/payments/calendar/execution-instant.ts";
import { hasCome, processingInstant } from "#src/payments/calendar/timing.ts";
import { type Holidays, holidaysOf } from "#src/payments/calendar/working-days.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import {
  detailsPageSize,
  loadOrderOwner,
  loadPaymentDetails,
  type PaymentDetail,
} from "#src/payments/details/load-payment-details.ts";
import { filePaymentRows } from "#src/payments/files/file-payment-rows.ts";
import { initiationOf, type PaymentKind, planOf } from "#src/payments/kinds/payment-kind.ts";
import { loadOrder, type OrderWithConsent } from "#src/payments/order/load-order.ts";
import { awaitingSignatures, type PaymentStatus } from "#src/payments/order/order-states.ts";
import { debtorOf, type PaymentOrder, standardAccount } from "#src/payments/order/payment-order.ts";
import {
  expectedDates,
  renderDetails,
  renderOrder,
  writeDetails,
} from "#src/payments/order/render.ts";
import { compileRequest, pathStem, pispOperation } from "#src/payments/pisp-operation.ts";
import { checkExecutionDay } from "#src/payments/request/checks.ts";
import type { BoundKey, KeyUse } from "#src/payments/request/idempotency-key.ts";
import { textAt } from "#src/payments/request/json-path.ts";
import { firstDifference, requestFingerprint } from "#src/payments/request/match.ts";
import {
  accessOf,
  afterCutOff,
  checkSameRequest,
  keyOf,
  paramOf,
  quoteExpired,
  unknownId,
  wrongStatus,
} from "#src/payments/request/refusals.ts";
import type { Schedule } from "#src/payments/schedule/schedule.ts";
import { toScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import { paymentDetailsResponse } from "#src/standard/pisp-v4.0/payment-details.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import type { Queryable } from "#src/storage/database.ts";
import {
  createOrders,
  type NewOrder,
  type NewPayment,
  type orderCreation,
} from "./create-order.ts";
import {
  loadSubmission,
  type prepareSubmission,
  type Submission,
  type SubmissionRow,
  submissionOf,
} from "./load-submission.ts";

/** What orders are made with; one creation for all kinds, whose orders share batches. */
export type OrderDeps = PaymentDeps & {
  createOrder: ReturnType<typeof orderCreation>;
  submission: ReturnType<typeof prepareSubmission>;
};

/** The operations on a kind's orders. */
export function orderOperations(kind: PaymentKind, deps: OrderDeps): Operation[] {
  const stem = `${kind.id}s`;
  const schema = compileRequest(kind.schemas.orderRequest, deps.config);
  const operation = pispOperation(kind.tag, stem);
  const success = { status: 200, schema: kind.schemas.orderResponse };
  const refusals: ListedRefusals = { 400: ["U011"], 403: ["U011"] };
  return [
    operation({
      method: "POST",
      path: `/${stem}`,
      summary: "Submit an order",
      grant: "authorization_code",
      request: kind.schemas.orderRequest,
      success: { ...success, status: 201 },
      refusals: {
        400: ["U002", "U003", "U004", "U005", "U008", "U009", "U010", "U011", "U012", "U029"],
        403: ["U011"],
        422: ["U029"],
      },
      load: ({ credentials, headers, now }) => {
        const given = headers[idempotencyHeader];
        const key = typeof given === "string" ? given : null;
        const { tokenHash } = credentials;
        return deps.submission({ tokenHash, operation: submissionPath(kind), key, now });
      },
      handle: (request) => submit(kind, schema, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:${orderParameter(kind)}`,
      summary: "Read an order",
      success,
      refusals,
      handle: (request) => read(kind, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:${orderParameter(kind)}/payment-details`,
      summary: "Read the payments of an order",
      success: { status: 200, schema: paymentDetailsResponse },
      refusals,
      handle: (request) => readDetails(kind, deps, request),
    }),
  ];
}

const submissionPath = ({ id }: PaymentKind): string => `POST ${pathStem}/${id}s`;

const orderParameter = (kind: PaymentKind): string => kind.orderIdParameter ?? kind.orderIdField;

// Each look finds either an earlier order or a reason to refuse; a second is needed when another
// request got in between, a third only when the key ran out of its 24 hours at that moment.
const looks = 3;

async function submit(
  kind: PaymentKind,
  schema: CompiledSchema,
  deps: OrderDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const { clientId, consent: granted } = accessOf(request);
  const consentId = textAt(request.body, "Data.ConsentId") ?? null;
  const use: KeyUse = {
    clientId,
    operation: submissionPath(kind),
    key: keyOf(request),
    fingerprint: requestFingerprint(request.body),
  };
  for (let look = 0; look < looks; look++) {
    const isKnown = look === 0 && consentId === granted?.consentId;
    const { consent, bound } = isKnown
      ? loadedSubmission(request)
      : await loadSubmission(deps.database, consentId, use, request.now);
    if (bound) return replay(kind, deps, request, bound, use);
    const faults = judge(schema, request.body);
    if (faults.length > 0) throw new ApiError(400, faults);
    checkOwnConsent(kind, consent, request);
    checkSubmission(kind, consent, deps, request);
    const order = draftOrder(kind, deps, consent, request);
    const payments = draftPayments(kind, deps, order, request.now);
    const created = { consent, course: kind.consent, order, payments, use };
    if (await (kind.payments ? deps.createOrder(created) : createOfFile(kind, deps, created))) {
      deps.wake();
      return reply(kind, deps, request, 201, order);
    }
  }
  throw new Error("an order was neither created nor found");
}

/** The submission of the token's own consent, which came with the access. */
const loadedSubmission = ({ loaded }: OperationRequest): Submission =>
  submissionOf(loaded as AccessRow & SubmissionRow); // as the operation's `load` has it

/** The order that the same request has created before, as it is now. Source: P-047, P-057. */
async function replay(
  kind: PaymentKind,
  deps: PaymentDeps,
  request: OperationRequest,
  bound: BoundKey,
  use: KeyUse,
): Promise<OperationReply> {
  checkSameRequest(bound, use, deps.config);
  const order = present(await loadOrder(deps.database, bound.resourceId), "a bound key's order");
  if (order.consentId !== accessOf(request).consent?.consentId) throw notYours("Data.ConsentId");
  return reply(kind, deps, request, 201, order);
}

function checkOwnConsent(
  kind: PaymentKind,
  consent: Consent | null,
  request: OperationRequest,
): asserts consent is Consent {
  const { clientId, consent: granted } = accessOf(request);
  if (consent?.kind !== kind.id) throw unknownId("Data.ConsentId");
  // another TPP's, or one that this token was not given for
  if (consent.clientId !== clientId || consent.consentId !== granted?.consentId) {
    throw notYours("Data.ConsentId");
  }
}

/** Status, match and business checks, in the order that the standard has them. */
function checkSubmission(
  kind: PaymentKind,
  consent: Consent,
  { config }: PaymentDeps,
  { body, now }: OperationRequest,
): void {
  if (consent.status !== "AUTH") throw wrongStatus(consent.status);
  const { Data, Risk } = body as Consent["body"]; // the schema has found no fault in it
  const difference =
    firstDifference(consent.body.Data.Initiation, Data.Initiation, "Data.Initiation") ??
    firstDifference(consent.body.Risk, Risk, "Risk");
  if (difference !== null) {
    throw refusal("U008", difference, "This differs from what the customer consented to.");
  }
  const checks = [checkExecutionDay, ...(kind.orderChecks ?? [])];
  const faults = checks.flatMap((check) =>
    check({ kind, body, now, config, debtor: null, exchange: null }),
  );
  if (faults.length > 0) throw new ApiError(400, faults);
  const { cutOffDateTime, exchangeRate } = consent.terms;
  const expires = exchangeRate?.ExpirationDateTime;
  if (expires !== undefined && hasCome(Temporal.Instant.from(expires), now)) {
    throw quoteExpired(expires);
  }
  if (cutOffOf(kind, config).strategy !== "reject" || cutOffDateTime === undefined) return;
  if (hasCome(Temporal.Instant.from(cutOffDateTime), now)) throw afterCutOff();
}

const receivedReason: StatusReason = {
  StatusReasonCode: "U030",
  StatusReasonDescription: "The payment has been received.",
};

const signaturesReason: StatusReason = {
  StatusReasonCode: "U040",
  StatusReasonDescription: "The payment waits for the other signatories.",
};

const signingDays = 7;

function draftOrder(
  kind: PaymentKind,
  { config }: PaymentDeps,
  consent: Consent,
  { now }: OperationRequest,
): OrderWithConsent {
  const { Data } = consent.body;
  const debtor = present(consent.debtor, "the account of an authorised consent");
  const several = debtor.signatoriesRequired > 1;
  const completion = parseDateTime(textAt(Data, "Authorisation.CompletionDateTime") ?? "");
  const execution = executionInstant(kind, initiationOf(consent.body), now, config);
  const customerId = present(consent.customerId, "the customer of an authorised consent");
  const schedule = kind.schedule?.(planOf(kind, consent, now, config));
  const received: PaymentStatus = "RCVD";
  return {
    orderId: newId(kind.orderIdPrefix),
    consentId: consent.consentId,
    kind: kind.id,
    apiVersion: pispV40.id,
    clientId: consent.clientId,
    customerId,
    debtorAccountId: debtor.accountId,
    status: several ? awaitingSignatures(kind.id) : received,
    statusReason: [several ? signaturesReason : receivedReason],
    createdAt: now,
    statusUpdatedAt: now,
    terms: {
      debtor: debtorOf(debtor, Data, kind),
      ...(Data.ReadRefundAccount === "Yes"
        ? { refund: { Account: standardAccount(debtor, kind) } }
        : {}),
      ...(!kind.givesExpectedDates || (several && execution === null)
        ? {}
        : expectedDates(execution ?? now, initiationOf(consent.body), config)),
      ...(schedule ? { schedule: toScheduleRecord(schedule) } : {}),
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
    consentTerms: consent.terms,
  };
}

/** A schedule cannot wait for its signatures: its first day must not pass meanwhile. */
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

/** The payments that are known now; those of a file are in the database. */
function draftPayments(
  kind: PaymentKind,
  { config }: PaymentDeps,
  order: OrderWithConsent,
  now: Temporal.Instant,
): NewPayment[] {
  if (kind.payments === null) return [];
  const { consentBody: body, consentTerms: terms } = order;
  const dueAt = order.authorisationStatus === "AWAF" ? null : now;
  const drafts = kind.payments(planOf(kind, { body, terms }, now, config));
  assert(drafts.length > 0, "an order has a payment");
  return drafts.map((draft) => ({ ...draft, paymentId: newId("pay"), dueAt }));
}

/** Creates an order with the payments of the file that was uploaded to its consent. */
async function createOfFile(
  kind: PaymentKind,
  { config, database }: PaymentDeps,
  created: NewOrder & { order: OrderWithConsent },
): Promise<boolean> {
  const { createdAt: now, consentBody, consentTerms, authorisationStatus } = created.order;
  const executeAt = executionInstant(kind, initiationOf(consentBody), now, config);
  const { fileId } = present(consentTerms.file, "the file of an authorised consent");
  const waiting = authorisationStatus === "AWAF";
  const rows = filePaymentRows(fileId, { executeAt, now, waiting });
  // the statement takes seconds: on a connection of its own nobody waits behind it
  const [isCreated] = await database.transaction((on) => createOrders(on, [created], rows));
  return isCreated === true;
}

async function read(
  kind: PaymentKind,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const order = await loadOrder(deps.database, paramOf(request, orderParameter(kind)));
  return reply(kind, deps, request, 200, own(kind, order, request));
}

async function readDetails(
  kind: PaymentKind,
  { database, config }: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const orderId = paramOf(request, orderParameter(kind));
  const [order, payments] = await Promise.all([
    loadOrderOwner(database, orderId),
    loadPaymentDetails(database, orderId, 0),
  ]);
  own(kind, order, request);
  const self = `${request.baseUrl}/${kind.id}s/${orderId}/payment-details`;
  const vocabulary = config.STATUS_VOCABULARY;
  if (payments.length < detailsPageSize) {
    return { status: 200, body: renderDetails(kind, payments, self, vocabulary) };
  }
  const written = writeDetails(
    kind,
    readDetailPages(database, orderId, payments),
    self,
    vocabulary,
  );
  return { status: 200, body: new OutgoingFile("application/json; charset=utf-8", written) };
}

async function* readDetailPages(
  on: Queryable,
  orderId: string,
  first: readonly PaymentDetail[],
): AsyncGenerator<readonly PaymentDetail[]> {
  let page = first;
  while (page.length > 0) {
    yield page;
    const last = page.at(-1)?.sequence;
    if (page.length < detailsPageSize || last === undefined) return;
    page = await loadPaymentDetails(on, orderId, last);
  }
}

/** The order, when it is of this kind and of this TPP. Source: P-175, P-176. */
export function own<Order extends Pick<PaymentOrder, "kind" | "clientId">>(
  kind: PaymentKind,
  order: Order | undefined,
  request: OperationRequest,
): Order {
  if (order?.kind !== kind.id) throw unknownId(orderParameter(kind));
  if (order.clientId !== accessOf(request).clientId) throw notYours(orderParameter(kind));
  return order;
}

function reply(
  kind: PaymentKind,
  { config }: PaymentDeps,
  request: OperationRequest,
  status: number,
  order: OrderWithConsent,
): OperationReply {
  const self = `${request.baseUrl}/${kind.id}s/${order.orderId}`;
  return { status, body: renderOrder(kind, order, self, config.STATUS_VOCABULARY) };
}

import { findNamedAccount } from "#src/bank/find-account.ts";
import { asOf } from "#src/consents/as-of.ts";
import { type Consent, loadConsent, waitingReasons } from "#src/consents/consent.ts";
import { consentCreation } from "#src/consents/create-consent.ts";
import { heardDevice } from "#src/consents/heard-device.ts";
import { usedUpStatuses } from "#src/consents/states.ts";
import { ApiError, type Fault } from "#src/http/api-error.ts";
import type { CompiledSchema } from "#src/http/body/validate.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import { cutOffOf, isAfterCutOff, isAtOnce, nextCutOff } from "#src/payments/calendar/timing.ts";
import {
  type ConsentFacts,
  ownConsent,
  type PaymentDeps,
  requestOf,
  type ServedKind,
} from "#src/payments/definitions/payment-kind.ts";
import { bodyOn, type ConsentExtras } from "#src/payments/formats/format.ts";
import { compileRequest, pispOperation } from "#src/payments/formats/pisp-operation.ts";
import { type LoadedFacts, loadExchangeFacts } from "#src/payments/international/facts.ts";
import { exchangeTerms } from "#src/payments/international/terms.ts";
import {
  debtorOf,
  expectedDatesOfConsent,
  loadOrderTerms,
  namedAccount,
} from "#src/payments/order/payment-order.ts";
import { listFaults } from "#src/payments/request/checks.ts";
import {
  type KeyUse,
  keyBinding,
  keyRow,
  loadBoundKey,
  type SentKey,
} from "#src/payments/request/idempotency-key.ts";
import { judgeRequest } from "#src/payments/request/match.ts";
import { futureWords, memberWords } from "#src/payments/request/member-words.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import {
  afterCutOff,
  checkSameRequest,
  fieldCodes,
  keyOf,
  withKeyRefusals,
} from "#src/payments/request/refusals.ts";
import { withWrittenDates } from "#src/payments/request/written-dates.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

// How a payment consent is made and used. A TPP creates it here: the format reads the body into a
// request, the checks of the kind list what is wrong with it, the bank's core gives its charges,
// and one statement stores the consent with the idempotency key. The customer then decides on the
// journey's pages: journey-kinds.ts selects the accounts that can pay, and the kind's shape
// supplies the texts, and answers whether the account has enough money. `submission/`
// uses the consent.

const bankCodes: readonly Fault["code"][] = [
  "U012",
  "U021",
  "U022",
  "U023",
  "U025",
  "U026",
  "U027",
];

/** The operations on a kind's consents. */
export function consentOperations(kind: ServedKind, deps: PaymentDeps): Operation[] {
  const stem = `${kind.id}-consents`;
  const format = kind.format;
  const schema = compileRequest(
    format,
    format.schemas.consentRequest,
    deps.config,
    memberWords(kind),
  );
  const operation = pispOperation(kind.format, `${kind.tag.slice(0, -1)} Consents`, stem);
  return [
    operation({
      method: "POST",
      path: `/${stem}`,
      name: "lodge",
      summary: "Lodge a consent",
      request: format.schemas.consentRequest,
      success: { status: 201, schema: format.schemas.consentResponse },
      refusals: withKeyRefusals({ 400: [...fieldCodes, ...bankCodes] }, format),
      handle: (request) => lodge(kind, schema, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:ConsentId`,
      name: "read",
      summary: "Read a consent",
      success: { status: 200, schema: format.schemas.consentResponse },
      refusals: { 400: ["U011"], 403: ["U011"] },
      handle: (request) => read(kind, deps, request),
    }),
    ...(kind.shape.consentOperations?.(kind, deps, operation) ?? []),
  ];
}

async function lodge(
  kind: ServedKind,
  schema: CompiledSchema,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const sent: SentKey = {
    clientId: request.access.clientId,
    operation: `POST ${kind.format.version.basePath}/${kind.id}-consents`,
    key: keyOf(request),
  };
  const { faults, fingerprint } = judgeRequest(schema, request.body, () =>
    futureWords(request.now),
  );
  const asked = kind.format.read(request.body);
  const { bank, config } = deps;
  const facts: Facts = {
    exchange: kind.currencies === "exchanged" ? await loadExchangeFacts(bank, asked, config) : null,
    ...((await kind.shape.loadFacts?.(asked, request.access, deps)) ?? noFacts),
  };
  const refused = await findRefusal(kind, faults, deps, request, asked, facts);
  if (refused === null) {
    const consent = draftConsent(kind, deps, request, asked, facts);
    // the statement that creates the consent checks the key too, so the usual case is one round
    // trip
    const use = { ...sent, fingerprint: present(fingerprint, "a body without faults has one") };
    const created = await createConsent(deps.database, consent, use, request.interactionId);
    if (created) return reply(kind, deps, request, 201, consent);
  }
  const bound = await loadBoundKey(deps.database, sent, request.now);
  if (!bound) throw refused ?? new Error("the idempotency key that was just bound is not bound");
  checkSameRequest(bound, fingerprint, kind.format, deps.config);
  const earlier = await loadConsent(deps.database, bound.resourceId);
  const consent = present(earlier, "the consent of a bound key");
  return { ...(await reply(kind, deps, request, 201, consent)), isReplay: true };
}

/** The facts that the checks of a new consent need, besides its request. */
type Facts = ConsentFacts & { exchange: LoadedFacts | null };

const noFacts: ConsentFacts = { contracts: [], schemeStatus: null };

/**
 * Finds the reason to refuse a new consent. A repeated request is recognised before these checks.
 */
async function findRefusal(
  kind: ServedKind,
  schemaFaults: Fault[],
  { bank, config }: PaymentDeps,
  { now }: OperationRequest,
  asked: PaymentRequest,
  facts: Facts,
): Promise<ApiError | null> {
  const { type } = asked.authorisation;
  const matters = type !== null && type !== "Any";
  const named = matters ? namedAccount(asked.debtor) : null;
  const debtor = named ? await findNamedAccount(bank, named) : null;
  const checked = { kind, request: asked, now, config, debtor, ...facts };
  const faults = listFaults(schemaFaults, checked, kind.format.paths);
  if (faults.length > 0) return new ApiError(400, faults);
  const atOnce = isAtOnce(kind.timing, asked);
  const cutOff = cutOffOf(kind, config);
  const reject = atOnce && cutOff.strategy === "reject";
  return reject && isAfterCutOff(now, cutOff) ? afterCutOff() : null;
}

function draftConsent(
  kind: ServedKind,
  { bank, config }: PaymentDeps,
  request: OperationRequest,
  asked: PaymentRequest,
  facts: Facts,
): Consent {
  // the schema has not found a fault in it
  const body = withWrittenDates(request.body as Consent["body"]);
  const { now } = request;
  const atOnce = isAtOnce(kind.timing, asked);
  const cutOff = atOnce ? nextCutOff(now, cutOffOf(kind, config)) : null;
  const { exchange } = facts;
  const own = kind.shape.additionsToConsent?.({ ...facts, request: asked, now });
  return {
    consentId: newId(kind.consentIdPrefix),
    kind: kind.id,
    apiVersion: kind.format.version.id,
    clientId: request.access.clientId,
    status: kind.consent.initial,
    statusReason: [waitingReasons[kind.consent.initial]],
    createdAt: now,
    statusUpdatedAt: now,
    expiresAt: own?.expiresAt ?? null,
    body,
    terms: {
      charges: kind.shape.chargesOf(bank, kind.id, asked),
      ...(exchange ? exchangeTerms(asked, exchange) : {}),
      ...(cutOff ? { cutOff } : {}),
      ...own?.terms,
      ...heardDevice("payment consent", bank, request),
    },
    permissions: [],
    transactionsFrom: null,
    transactionsTo: null,
    customerId: null,
    accountIds: [],
    debtor: null,
    grantId: null,
    authorisedAt: null,
    pausedAt: null,
  };
}

async function read(
  kind: ServedKind,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  return reply(kind, deps, request, 200, await ownConsent(kind, deps, request));
}

async function reply(
  kind: ServedKind,
  deps: PaymentDeps,
  request: OperationRequest,
  status: number,
  consent: Consent,
): Promise<OperationReply> {
  const self = `${request.baseUrl}/${kind.id}-consents/${consent.consentId}`;
  const extras = await consentExtras(kind, deps, consent, request.now);
  const shown = asOf(kind.consent, consent, request.now);
  const body = bodyOn(kind.format, consent);
  return { status, body: kind.format.renderConsent({ ...shown, body }, extras, self) };
}

async function consentExtras(
  kind: ServedKind,
  { database, config }: PaymentDeps,
  consent: Consent,
  now: Temporal.Instant,
): Promise<ConsentExtras> {
  if (usedUpStatuses(kind.consent).includes(consent.status)) {
    const terms = await loadOrderTerms(database, consent.consentId);
    // a consent can expire without having been used
    if (terms) return { debtor: terms.debtor, expected: terms.expected ?? null };
  }
  const asked = requestOf(kind, consent);
  const expected = expectedDatesOfConsent(kind, consent, asked, now, config);
  const shows = consent.status === "AUTH" || kind.shape.showsDebtor;
  const account = shows ? consent.debtor : null;
  return { debtor: account && debtorOf(account, asked, kind), expected };
}

/**
 * Creates a consent and binds its key, or does neither and returns false if the key is bound
 * already.
 */
async function createConsent(
  on: Queryable,
  consent: Consent,
  use: KeyUse,
  interactionId: string,
): Promise<boolean> {
  const ids = sql`select resource_id as consent_id from bound`;
  const bound = sql`bound as (${keyBinding(keyRow(use, consent.consentId, consent.createdAt))}),`;
  const rows = await on.query(consentCreation(ids, consent, interactionId, bound));
  return rows.length === 1;
}

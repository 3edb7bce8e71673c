import type { Bank } from "#src/bank/port.ts";
import {
  type Consent,
  loadConsent,
  type StatusReason,
  unauthorisedReason,
} from "#src/consents/consent.ts";
import { notYours } from "#src/http/access/access.ts";
import { ApiError, type Fault } from "#src/http/api-error.ts";
import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { newId } from "#src/lib/ids.ts";
import type { Money } from "#src/lib/money.ts";
import { cutOffOf, isAfterCutOff, nextCutOff } from "#src/payments/calendar/cut-off.ts";
import { isAtOnce } from "#src/payments/calendar/timing.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import { type LoadedFacts, loadExchangeFacts } from "#src/payments/international/facts.ts";
import { exchangeTerms } from "#src/payments/international/terms.ts";
import { type PaymentDraft, requestOf, type ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { expectedDatesOfConsent } from "#src/payments/order/expected-dates.ts";
import { loadOrderTerms } from "#src/payments/order/load-order.ts";
import { debtorOf } from "#src/payments/order/payment-order.ts";
import { compileRequest, pispOperation } from "#src/payments/pisp-operation.ts";
import { listFaults } from "#src/payments/request/checks.ts";
import { type KeyUse, loadBoundKey } from "#src/payments/request/idempotency-key.ts";
import { requestFingerprint } from "#src/payments/request/match.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import {
  accessOf,
  afterCutOff,
  checkSameRequest,
  fundsNotAtOnce,
  keyOf,
  paramOf,
  unknownId,
  wrongStatus,
} from "#src/payments/request/refusals.ts";
import { chargesOf } from "#src/payments/request/tariff.ts";
import { withWrittenDates } from "#src/payments/request/written-dates.ts";
import { bodyOn, type ConsentExtras, isServed } from "#src/payments/wires/wire.ts";
import { createConsent } from "./create-consent.ts";

const fieldCodes: readonly Fault["code"][] = ["U001", "U002", "U003", "U004", "U005", "U010"];
const bankCodes: readonly Fault["code"][] = [
  "U012",
  "U021",
  "U022",
  "U023",
  "U025",
  "U026",
  "U027",
  "U029",
];

/** The operations on a kind's consents. */
export function consentOperations(kind: ServedKind, deps: PaymentDeps): Operation[] {
  const stem = `${kind.id}-consents`;
  const wire = kind.wire;
  const schema = compileRequest(wire, wire.schemas.consentRequest, deps.config);
  const operation = pispOperation(kind.wire.version, `${kind.tag.slice(0, -1)} Consents`, stem);
  const operations: Operation[] = [
    operation({
      method: "POST",
      path: `/${stem}`,
      summary: "Lodge a consent",
      request: wire.schemas.consentRequest,
      success: { status: 201, schema: wire.schemas.consentResponse },
      refusals: { 400: [...fieldCodes, ...bankCodes], 422: ["U029"] },
      handle: (request) => lodge(kind, schema, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:ConsentId`,
      summary: "Read a consent",
      success: { status: 200, schema: wire.schemas.consentResponse },
      refusals: { 400: ["U011"], 403: ["U011"] },
      handle: (request) => read(kind, deps, request),
    }),
  ];
  if (!kind.fundsConfirmation) return operations;
  const confirm = operation({
    method: "GET",
    path: `/${stem}/:ConsentId/funds-confirmation`,
    summary: "Confirm whether the funds are available",
    grant: "authorization_code",
    success: { status: 200, schema: wire.schemas.funds },
    refusals: { 400: ["U009", "U011"], 403: ["U011"] },
    handle: (request) => confirmFunds(kind, deps, request),
  });
  return [...operations, confirm];
}

async function lodge(
  kind: ServedKind,
  schema: CompiledSchema,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const use: KeyUse = {
    clientId: accessOf(request).clientId,
    operation: `POST ${kind.wire.version.basePath}/${kind.id}-consents`,
    key: keyOf(request),
    fingerprint: requestFingerprint(request.body),
  };
  const asked = kind.wire.read(request.body);
  const exchange =
    kind.currencies === "exchanged" ? await loadExchangeFacts(deps.bank, asked, deps.config) : null;
  const refused = await findRefusal(kind, schema, deps, request, asked, exchange);
  if (refused === null) {
    const consent = draftConsent(kind, deps, request, asked, exchange);
    // the statement that creates the consent checks the key too, so the usual case is one round
    // trip
    const created = await createConsent(deps.database, consent, use, request.interactionId);
    if (created) return reply(kind, deps, request, 201, consent);
  }
  const bound = await loadBoundKey(deps.database, use, request.now);
  if (!bound) throw refused ?? new Error("a key that was bound a moment ago is bound");
  checkSameRequest(bound, use, deps.config);
  const earlier = await loadConsent(deps.database, bound.resourceId);
  return reply(kind, deps, request, 201, present(earlier, "the consent of a bound key"));
}

/**
 * Finds the reason to refuse a new consent. A repeated request is recognised before these checks.
 */
async function findRefusal(
  kind: ServedKind,
  schema: CompiledSchema,
  { bank, config }: PaymentDeps,
  { body, now }: OperationRequest,
  asked: PaymentRequest,
  exchange: LoadedFacts | null,
): Promise<ApiError | null> {
  const schemaFaults = judge(schema, body);
  const { type } = asked.authorisation;
  const { schemeName: scheme, identification } = asked.debtor ?? {};
  const named = type !== null && type !== "Any" && scheme && identification;
  const debtor = named ? await bank.findAccount(scheme, identification) : null;
  const checked = { kind, request: asked, now, config, debtor, exchange };
  const faults = listFaults(schemaFaults, checked, kind.wire.paths);
  if (faults.length > 0) return new ApiError(400, faults);
  const atOnce = isAtOnce(kind.timing, asked);
  const cutOff = cutOffOf(kind, config);
  const reject = atOnce && cutOff.strategy === "reject";
  return reject && isAfterCutOff(now, cutOff) ? afterCutOff() : null;
}

const noFileReason: StatusReason = {
  StatusReasonCode: "U036",
  StatusReasonDescription: "The file has not been uploaded yet.",
};

function draftConsent(
  kind: ServedKind,
  { bank, config }: PaymentDeps,
  request: OperationRequest,
  asked: PaymentRequest,
  exchange: LoadedFacts | null,
): Consent {
  // the schema has not found a fault in it
  const body = withWrittenDates(request.body as Consent["body"]);
  const { now } = request;
  const atOnce = isAtOnce(kind.timing, asked);
  const cutOff = atOnce ? nextCutOff(now, cutOffOf(kind, config)) : null;
  return {
    consentId: newId(kind.consentIdPrefix),
    kind: kind.id,
    apiVersion: kind.wire.version.id,
    clientId: accessOf(request).clientId,
    status: kind.payments ? "AWAU" : "AWUP",
    statusReason: [kind.payments ? unauthorisedReason : noFileReason],
    createdAt: now,
    statusUpdatedAt: now,
    expiresAt: null,
    body,
    terms: {
      charges: kind.payments ? chargesOf(bank, kind.id, asked) : [],
      ...(exchange ? exchangeTerms(asked, exchange) : {}),
      ...(cutOff ? { cutOffDateTime: formatInstant(cutOff) } : {}),
    },
    permissions: [],
    transactionsFrom: null,
    transactionsTo: null,
    customerId: null,
    accountIds: [],
    debtor: null,
    grantId: null,
    authorisedAt: null,
  };
}

async function read(
  kind: ServedKind,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  return reply(kind, deps, request, 200, await ownConsent(kind, deps, request));
}

/**
 * Loads the consent of the path. Throws unless it is of this kind and of this TPP. Source:
 * P-101…P-103.
 */
export async function ownConsent(
  kind: ServedKind,
  { database }: PaymentDeps,
  request: OperationRequest,
): Promise<Consent> {
  const consent = await loadConsent(database, paramOf(request, "ConsentId"));
  if (consent?.kind !== kind.id || !isServed(kind, consent)) throw unknownId("ConsentId");
  if (consent.clientId !== accessOf(request).clientId) throw notYours("ConsentId");
  return consent;
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
  const body = bodyOn(kind.wire, consent);
  return { status, body: kind.wire.renderConsent({ ...consent, body }, extras, self) };
}

async function consentExtras(
  kind: ServedKind,
  { database, config }: PaymentDeps,
  consent: Consent,
  now: Temporal.Instant,
): Promise<ConsentExtras> {
  if (consent.status === "COND") {
    const terms = present(await loadOrderTerms(database, consent.consentId), "its order");
    return { debtor: terms.debtor, expected: terms };
  }
  const asked = requestOf(kind, consent);
  const expected = expectedDatesOfConsent(kind, consent, asked, now, config);
  const account = consent.status === "AUTH" ? consent.debtor : null;
  return { debtor: account && debtorOf(account, asked), expected };
}

async function confirmFunds(
  kind: ServedKind,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const consent = await ownConsent(kind, deps, request);
  // the token belongs to another consent
  if (consent.consentId !== accessOf(request).consent?.consentId) throw notYours("ConsentId");
  if (consent.status !== "AUTH") throw wrongStatus(consent.status);
  const { config } = deps;
  const asked = requestOf(kind, consent);
  const plan = { kind, request: asked, terms: consent.terms, now: request.now, config };
  const [payment] = kind.payments?.(plan) ?? [];
  const accountId = present(consent.accountIds[0], "the account of an authorised consent");
  const draft = present(payment, "a payment of the consent");
  if (kind.timing.when === "onDate" && !draft.international?.fundsAtOnce)
    throw fundsNotAtOnce(kind.wire.paths["rate.type"]);
  const debit = await debitOf(deps.bank, accountId, draft);
  const available = debit !== null && (await deps.bank.confirmFunds(accountId, debit));
  const self = `${request.baseUrl}/${kind.id}-consents/${consent.consentId}/funds-confirmation`;
  return { status: 200, body: kind.wire.renderFunds(available, request.now, self) };
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

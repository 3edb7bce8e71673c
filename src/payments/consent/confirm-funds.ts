import type { Bank } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import { admitUnattended, allowanceUsed } from "#src/consents/unattended-access.ts";
import { otherConsent } from "#src/http/access/access.ts";
import { ApiError } from "#src/http/api-error.ts";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import type { Money } from "#src/lib/money.ts";
import { plainText } from "#src/lib/plain-text.ts";
import type { PaymentDeps } from "#src/payments/deps.ts";
import { bodyOn, type FundsRequest } from "#src/payments/formats/format.ts";
import { type PaymentDraft, requestOf, type ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { amountFaults } from "#src/payments/limits/consent-checks.ts";
import type { PispOperation } from "#src/payments/pisp-operation.ts";
import { locatedFaults } from "#src/payments/request/checks.ts";
import {
  checkNotPaused,
  different,
  fundsNotAtOnce,
  grantedTo,
  shutOut,
  wrongStatus,
} from "#src/payments/request/refusals.ts";
import { debtorCharges } from "#src/payments/request/tariff.ts";
import { isOfScheme, isShutOut } from "#src/standard/shared/vrp-types.ts";
import { ownConsent } from "./own-consent.ts";

/**
 * The operation that tells a TPP whether the funds are available: for the payment of a consent by
 * GET, for an amount within limits by POST.
 */
export function fundsConfirmation(
  kind: ServedKind,
  deps: PaymentDeps,
  operation: PispOperation,
): Operation[] {
  if (kind.fundsConfirmation === null) return [];
  const given = {
    path: `/${kind.id}-consents/:ConsentId/funds-confirmation`,
    name: "confirmFunds",
    summary: "Confirm whether the funds are available",
    grant: "authorization_code",
  } as const;
  const { funds, fundsRequest } = kind.format.schemas;
  if (kind.fundsConfirmation === "consent") {
    const confirm = operation({
      ...given,
      method: "GET",
      success: { status: 200, schema: funds },
      refusals: { 400: ["U009", "U011"], 403: ["U011"] },
      handle: (request) => confirmPayment(kind, deps, request),
    });
    return [confirm];
  }
  const asked = present(fundsRequest, `the funds request of ${kind.id}`);
  const { judgedBy } = kind.format;
  const { STRICT_OAS: strictOas } = deps.config;
  const schema = compileSchema(() => judgedBy(asked.schema, { strictOas }), {
    characters: plainText,
    strictDates: strictOas,
  });
  const confirm = operation({
    ...given,
    method: "POST",
    // each request is answered by the funds of that moment. Source: V-158
    idempotent: false,
    request: asked.schema,
    success: { status: 201, schema: funds },
    refusals: {
      400: ["U002", "U003", "U004", "U005", "U008", "U009", "U010", "U011", "U023"],
      403: ["U011", "AG08"],
      429: [],
    },
    async handle(request) {
      const faults = judge(schema, request.body);
      if (faults.length > 0) throw new ApiError(400, faults);
      return confirmAmount(kind, deps, asked, request);
    },
  });
  return [confirm];
}

/** Loads the consent of the path. Throws unless the token belongs to it and it is authorised. */
async function authorisedConsent(
  kind: ServedKind,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<Consent> {
  const consent = await ownConsent(kind, deps, request);
  const granted = grantedTo(request);
  if (consent.consentId !== granted) throw otherConsent("ConsentId", granted, consent.consentId);
  if (consent.status !== "AUTH") throw wrongStatus(consent.status);
  return consent;
}

const debtorIdOf = ({ accountIds }: Consent): string =>
  present(accountIds[0], "the account of an authorised consent");

const selfOf = (kind: ServedKind, { baseUrl }: OperationRequest, { consentId }: Consent): string =>
  `${baseUrl}/${kind.id}-consents/${consentId}/funds-confirmation`;

async function confirmPayment(
  kind: ServedKind,
  deps: PaymentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const consent = await authorisedConsent(kind, deps, request);
  const { config } = deps;
  const { now } = request;
  const asked = requestOf(kind, consent);
  const plan = { kind, request: asked, terms: consent.terms, now, config };
  const [payment] = kind.shape.payments(plan);
  const accountId = debtorIdOf(consent);
  const draft = present(payment, "a payment of the consent");
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

/**
 * Answers by the funds alone: neither the limits of the consent nor its payments matter. Reserves
 * nothing and stores only how often a consent was asked about. Source: V-150…V-157, V-161.
 */
async function confirmAmount(
  kind: ServedKind,
  deps: PaymentDeps,
  { paths, read, referenceIn }: FundsRequest,
  request: OperationRequest,
): Promise<OperationReply> {
  const consent = await authorisedConsent(kind, deps, request);
  const { schemeStatus } = request.access;
  const type = requestOf(kind, consent).limits?.uses.type?.find(isOfScheme);
  if (type !== undefined && isShutOut(schemeStatus))
    throw shutOut("Data.ConsentId", type, schemeStatus);
  checkNotPaused(consent);
  const { body, now } = request;
  const sent = read(body);
  if (sent.consentId !== consent.consentId) {
    throw different(paths.consentId, consent.consentId, sent.consentId);
  }
  const agreed = referenceIn(bodyOn(kind.format, consent));
  if (agreed !== null && sent.reference !== null && sent.reference !== agreed) {
    throw different(paths.reference, agreed, sent.reference);
  }
  const amount = present(sent.amount, "an amount that is mandatory");
  const faults = amountFaults(kind, amount, (of) => ({ member: `amount.${of}` }));
  if (faults.length > 0) throw new ApiError(400, locatedFaults(faults, paths));
  const { amountMinor, currency } = present(amount.money, "a checked amount");
  const debit = { currency, amountMinor: amountMinor + debtorCharges(consent.terms, currency) };
  const { FUNDS_CONFIRMATION_DAILY_LIMIT: perDay } = deps.config;
  if (perDay > 0) {
    const operationId = `${kind.id}-funds-confirmation`;
    const access = { consentId: consent.consentId, operationId, accountId: null };
    if (!(await admitUnattended(deps.database, perDay, access, now))) throw allowanceUsed(now);
  }
  const available = await deps.bank.confirmFunds(debtorIdOf(consent), debit);
  const self = selfOf(kind, request, consent);
  const asked = { id: newId("vrpf"), body };
  return { status: 201, body: kind.format.renderFunds({ available, now, self, asked }) };
}

import { debtorCharges } from "#src/consents/terms.ts";
import { admitUnattended, allowanceUsed } from "#src/consents/unattended-access.ts";
import { ApiError } from "#src/http/api-error.ts";
import { judge } from "#src/http/body/validate.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import {
  requestOf,
  type ServedKind,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import { bodyOn, type InstructionFormat } from "#src/payments/formats/format.ts";
import { compileRequest, type PispOperation } from "#src/payments/formats/pisp-operation.ts";
import { amountFaults } from "#src/payments/limits/consent-checks.ts";
import { locatedFaults } from "#src/payments/request/checks.ts";
import { memberWords } from "#src/payments/request/member-words.ts";
import { firstTextAt, readRequest } from "#src/payments/request/read-request.ts";
import { checkNotPaused, different, shutOut } from "#src/payments/request/refusals.ts";
import {
  authorisedConsent,
  confirmation,
  debtorIdOf,
  selfOf,
} from "#src/payments/shapes/authorised-consent.ts";
import { isOfScheme, isShutOut } from "#src/standard/shared/vrp-types.ts";

/** The operation that tells a TPP whether the funds for an amount within limits are available. */
export function amountConfirmation(
  kind: ServedKind,
  deps: ShapeDeps,
  operation: PispOperation,
): Operation[] {
  if (!kind.confirmsFunds) return [];
  const asked = present(kind.format.instruction?.funds, `the funds request of ${kind.id}`);
  const schema = compileRequest(kind.format, asked.schema, deps.config, memberWords(kind));
  const confirm = operation({
    ...confirmation(kind),
    method: "POST",
    // each request is answered by the funds of that moment. Source: V-158
    idempotent: false,
    request: asked.schema,
    success: { status: 201, schema: kind.format.schemas.funds },
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

/**
 * Answers by the funds alone: neither the limits of the consent nor its payments matter. Reserves
 * nothing and stores only how often a consent was asked about. Source: V-150…V-157, V-161.
 */
async function confirmAmount(
  kind: ServedKind,
  deps: ShapeDeps,
  { paths, references }: NonNullable<InstructionFormat["funds"]>,
  request: OperationRequest,
): Promise<OperationReply> {
  const consent = await authorisedConsent(kind, deps, request);
  const { schemeStatus } = request.access;
  const type = requestOf(kind, consent).limits?.uses.type?.find(isOfScheme);
  if (type !== undefined && isShutOut(schemeStatus))
    throw shutOut("Data.ConsentId", type, schemeStatus);
  checkNotPaused(consent);
  const { body, now } = request;
  const sent = readRequest(body, paths);
  if (sent.consentId !== consent.consentId) {
    throw different(paths.consentId, consent.consentId, sent.consentId);
  }
  const agreed = firstTextAt(bodyOn(kind.format, consent), references);
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

import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { notYours } from "#src/http/access/access.ts";
import { ApiError, refusal } from "#src/http/api-error.ts";
import { judge } from "#src/http/body/validate.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { cutOffOf } from "#src/payments/calendar/cut-off.ts";
import { hasCome } from "#src/payments/calendar/timing.ts";
import type { ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { type PaymentOrder, standardAccount } from "#src/payments/order/payment-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import { type OrderSchemas, orderSchema } from "#src/payments/pisp-operation.ts";
import { checkExecutionDay, paymentChecks, wireFaults } from "#src/payments/request/checks.ts";
import type { BoundKey, KeyUse } from "#src/payments/request/idempotency-key.ts";
import { hasMember } from "#src/payments/request/json-path.ts";
import { firstDifferenceAt, firstDifferenceElsewhere } from "#src/payments/request/match.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import {
  accessOf,
  afterCutOff,
  checkSameRequest,
  quoteExpired,
  unknownId,
  wrongStatus,
} from "#src/payments/request/refusals.ts";
import { bodyOn, isServed, orderPathsOf, type Wire } from "#src/payments/wires/wire.ts";

/** A submission to check: its idempotency key has not been used before. */
export type JudgedSubmission = {
  kind: ServedKind;
  schemas: OrderSchemas;
  config: PaymentConfig;
  request: OperationRequest;
  /** The order as the wire reads it from the body. */
  ordered: PaymentRequest;
  /** The consent that the body names; null if there is none. */
  consent: Consent | null;
};

/** A check of a submission, by name. */
export type SubmissionStep = (typeof submissionSteps)[number];

/**
 * The checks of a submission, in the standard's order, after those of the request. Source:
 * P-142…P-163.
 */
export const submissionSteps = [
  "schema",
  "consent",
  "owner",
  "status",
  "match",
  "dates",
  "rate",
  "cut-off",
] as const;

/**
 * The names of a kind's steps. `replay` comes first: a key that was used for the same request gets
 * its order. `limits` comes last, in the statement that creates the order.
 */
export const submissionStepsOf = ({ withinLimits }: Pick<ServedKind, "withinLimits">): string[] => [
  "replay",
  ...submissionSteps,
  ...(withinLimits ? ["limits"] : []),
];

type Found = JudgedSubmission & { consent: Consent };

/** The steps by name. */
const checks: Record<SubmissionStep, (submission: Found) => void> = {
  schema({ schemas, consent, request: { body } }) {
    const faults = judge(orderSchema(schemas, consent), body);
    if (faults.length > 0) throw new ApiError(400, faults);
  },
  // Source: P-160, P-163
  consent({ kind, consent }) {
    const found = consent as Consent | null;
    if (found?.kind !== kind.id || !isServed(kind, found)) throw unknownId("Data.ConsentId");
  },
  /**
   * Refuses another TPP's consent, or a consent that the token does not belong to. Source: P-161,
   * P-162.
   */
  owner({ consent, request }) {
    const { clientId, consent: granted } = accessOf(request);
    if (consent.clientId === clientId && consent.consentId === granted?.consentId) return;
    throw notYours("Data.ConsentId");
  },
  // Source: P-149…P-151
  status({ consent }) {
    if (consent.status !== "AUTH") throw wrongStatus(consent.status);
  },
  // Source: P-152…P-158
  match({ kind, consent, request: { body } }) {
    const { wire } = kind;
    const agreed = withChosenDebtor(wire, consent, body);
    const difference =
      firstDifferenceAt(wire.repeated, agreed, body) ??
      firstDifferenceElsewhere(wire.repeatedElsewhere ?? [], agreed, body);
    if (difference === null) return;
    throw refusal("U008", difference, "This field must be the same as in the consent.");
  },
  dates({ kind, config, ordered, request: { now } }) {
    const checked = {
      kind,
      request: ordered,
      now,
      config,
      debtor: null,
      exchange: null,
      contracts: [],
    };
    const own = kind.withinLimits ? [...paymentChecks, ...kind.checks] : [];
    const found = [...own, checkExecutionDay, ...(kind.orderChecks ?? [])].flatMap((check) =>
      check(checked),
    );
    if (found.length > 0) throw new ApiError(400, wireFaults(found, orderPathsOf(kind.wire)));
  },
  // Source: P-127
  rate({ consent, request: { now } }) {
    const expires = consent.terms.exchangeRate?.ExpirationDateTime;
    if (expires === undefined || !hasCome(Temporal.Instant.from(expires), now)) return;
    throw quoteExpired(expires);
  },
  "cut-off"({ kind, config, consent, request: { now } }) {
    const { cutOffDateTime } = consent.terms;
    if (cutOffDateTime === undefined || cutOffOf(kind, config).strategy !== "reject") return;
    if (hasCome(Temporal.Instant.from(cutOffDateTime), now)) throw afterCutOff();
  },
};

/**
 * The body that an order is compared with: that of its consent. If the customer chose the account
 * and the order names it, so does that body. Source: V-107.
 */
function withChosenDebtor(wire: Wire, consent: Consent, order: unknown): ConsentBody {
  const agreed = bodyOn(wire, consent);
  const { chosenDebtor: path } = wire;
  if (path === undefined || !hasMember(order, path) || hasMember(agreed, path)) return agreed;
  const { debtor } = consent;
  const [part = "", member = ""] = path.split(".").slice(1);
  const named = debtor && { [member]: standardAccount(debtor, { international: null }) };
  const initiation = agreed.Data[part] as object; // as the schema has it
  return { ...agreed, Data: { ...agreed.Data, [part]: { ...initiation, ...named } } };
}

/** Runs the steps in their order; returns the consent that the order will use. */
export function judgeSubmission(submission: JudgedSubmission): Consent {
  // safe: `consent` comes before every step that reads it
  for (const step of submissionSteps) checks[step](submission as Found);
  return present(submission.consent, "the consent of a judged submission");
}

/** Throws unless this request is the one that bound the key. Source: P-047, P-050, P-057. */
export function checkReplay(given: {
  kind: ServedKind;
  bound: BoundKey;
  use: KeyUse;
  order: Pick<PaymentOrder, "consentId">;
  granted: { consentId: string } | null;
  config: PaymentConfig;
}): void {
  checkSameRequest(given.bound, given.use, given.kind.wire.version, given.config);
  if (given.order.consentId !== given.granted?.consentId) throw notYours("Data.ConsentId");
}

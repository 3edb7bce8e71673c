import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { statusesBefore } from "#src/consents/states.ts";
import { notYours, otherConsent } from "#src/http/access/access.ts";
import { ApiError, refusal } from "#src/http/api-error.ts";
import { type HandlerStep, namesOf, runSteps } from "#src/http/handler-steps.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { cutOffOf } from "#src/payments/calendar/cut-off.ts";
import { bankDay, hasCome } from "#src/payments/calendar/timing.ts";
import { bodyOn, type Format, orderPathsOf } from "#src/payments/formats/format.ts";
import { renderAccount } from "#src/payments/formats/render-parts.ts";
import { requestOf, type ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { checkLimits, exceededFaults } from "#src/payments/limits/order-limits.ts";
import type { OrderWithConsent } from "#src/payments/order/load-order.ts";
import { standardAccount } from "#src/payments/order/payment-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import { checkExecutionDay, locatedFaults, paymentChecks } from "#src/payments/request/checks.ts";
import type { BoundKey } from "#src/payments/request/idempotency-key.ts";
import { hasMember } from "#src/payments/request/json-path.ts";
import {
  firstDifferenceAt,
  firstDifferenceElsewhere,
  type JudgedRequest,
} from "#src/payments/request/match.ts";
import { servedResource } from "#src/payments/request/own-resource.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import {
  afterCutOff,
  checkNotPaused,
  checkSameRequest,
  different,
  grantedTo,
  quoteExpired,
  shutOut,
  wrongStatus,
} from "#src/payments/request/refusals.ts";
import { isOfScheme, isShutOut } from "#src/standard/shared/vrp-types.ts";

/** A submission to check. */
export type JudgedSubmission = JudgedRequest & {
  kind: ServedKind;
  config: PaymentConfig;
  request: OperationRequest;
  /** The order as the format reads it from the body. */
  ordered: PaymentRequest;
  /** The consent that the body names; null if there is none. */
  consent: Consent | null;
  /** The earlier use of the idempotency key, and its order; null if this is the first use. */
  earlier: { bound: BoundKey; order: OrderWithConsent } | null;
};

type Found = JudgedSubmission & { consent: Consent };

/** An order that the storing statement has created, or that it has refused to create. */
export type StoredSubmission = {
  kind: ServedKind;
  /** The request of the order, with the limits of its consent. */
  asked: PaymentRequest;
  /** The positions of the limits that the order and the earlier ones exceed together. */
  exceeded: readonly number[];
};

/** A check of a submission. */
export type SubmissionStep<State> = HandlerStep<State> & {
  /** Whether a kind needs the check. The default is that every kind needs it. */
  appliesTo?: (kind: ServedKind) => boolean;
};

/**
 * The checks of a submission, in the standard's order, after those of the request. Source:
 * P-142…P-163.
 */
export const submissionSteps: readonly SubmissionStep<Found>[] = [
  // Source: V-131
  {
    name: "payload-version",
    appliesTo: ({ format }) => format.payloadVersions !== undefined,
    check({ kind, request: { headers } }) {
      const given = headers["payload-version"];
      const { payloadVersions = [] } = kind.format;
      if (given === undefined) return;
      if (typeof given === "string" && payloadVersions.includes(given)) return;
      const message = `payload-version must be one of ${payloadVersions.join(", ")}, or left out.`;
      throw refusal("U006", "payload-version", message);
    },
  },
  // A repeated request gets the order that the first one created. Source: P-047, P-050, P-057.
  {
    name: "replay",
    check({ kind, config, request, fingerprint, earlier }) {
      if (earlier === null) return;
      checkSameRequest(earlier.bound, fingerprint, kind.format.version, config);
      const granted = grantedTo(request);
      const { consentId } = earlier.order;
      if (consentId !== granted) throw otherConsent("Data.ConsentId", granted, consentId);
    },
    isEnough: ({ earlier }) => earlier !== null,
  },
  {
    name: "schema",
    check({ faults }) {
      if (faults.length > 0) throw new ApiError(400, faults);
    },
  },
  // Source: P-160, P-163
  {
    name: "consent",
    check({ kind, consent, request }) {
      servedResource(kind, consent as Consent | null, request, "Data.ConsentId");
    },
  },
  // Refuses another TPP's consent, or one that the token does not belong to. Source: P-161, P-162.
  {
    name: "owner",
    check({ consent, request }) {
      const { clientId, consentId } = consent;
      if (clientId !== request.access.clientId) throw notYours("Data.ConsentId");
      const granted = grantedTo(request);
      if (consentId !== granted) throw otherConsent("Data.ConsentId", granted, consentId);
    },
  },
  // Source: P-149…P-151
  {
    name: "status",
    check({ kind, consent: { status } }) {
      const usable = statusesBefore(kind.consent, "consume");
      if (!usable.includes(status)) throw wrongStatus(status, usable);
    },
  },
  // Source: P-152…P-158
  {
    name: "match",
    check({ kind, consent, request: { body } }) {
      const { format } = kind;
      const agreed = withChosenDebtor(format, consent, body);
      const difference =
        firstDifferenceAt(format.repeated, agreed, body) ??
        firstDifferenceElsewhere(format.repeatedElsewhere ?? [], agreed, body);
      if (difference === null) return;
      const { path, consented, submitted } = difference;
      throw different(path, consented, submitted);
    },
  },
  {
    name: "dates",
    check({ kind, config, ordered, request: { now } }) {
      const checked = {
        kind,
        request: ordered,
        now,
        config,
        debtor: null,
        exchange: null,
        contracts: [],
        schemeStatus: null,
      };
      const own = kind.shape.permission ? [...paymentChecks, ...kind.checks] : [];
      const found = [...own, checkExecutionDay, ...(kind.orderChecks ?? [])].flatMap((check) =>
        check(checked),
      );
      if (found.length > 0)
        throw new ApiError(400, locatedFaults(found, orderPathsOf(kind.format)));
    },
  },
  // Source: P-127
  {
    name: "rate",
    check({ consent, request: { now } }) {
      const { expiresAt = null } = consent.terms.exchangeRate ?? {};
      if (expiresAt !== null && hasCome(expiresAt, now)) throw quoteExpired(expiresAt);
    },
  },
  {
    name: "cut-off",
    check({ kind, config, consent, request: { now } }) {
      const { cutOff } = consent.terms;
      if (cutOff === undefined || cutOffOf(kind, config).strategy !== "reject") return;
      if (hasCome(cutOff, now)) throw afterCutOff();
    },
  },
  // Source: CV-21, CV-24
  {
    name: "scheme",
    appliesTo: ({ shape }) => shape.permission !== undefined,
    check({ kind, ordered, request }) {
      const { type } = ordered.use ?? {};
      const { schemeStatus } = request.access;
      if (type == null || !isOfScheme(type) || !isShutOut(schemeStatus)) return;
      throw shutOut(orderPathsOf(kind.format)["use.type"] ?? "Data", type, schemeStatus);
    },
  },
  // Source: CV-88
  {
    name: "pause",
    appliesTo: ({ shape }) => shape.permission !== undefined,
    check({ consent }) {
      checkNotPaused(consent);
    },
  },
  // the limits of a single order
  {
    name: "limits",
    appliesTo: ({ shape }) => shape.permission !== undefined,
    check({ kind, consent, ordered, request: { now } }) {
      const limits = present(requestOf(kind, consent).limits, "the limits of a consent");
      const faults = checkLimits(limits, ordered, bankDay(now));
      if (faults.length > 0)
        throw new ApiError(400, locatedFaults(faults, orderPathsOf(kind.format)));
    },
  },
];

/**
 * The checks that the statement which creates the order makes, so that concurrent orders cannot
 * pass them together. They come after all others.
 */
export const storingSteps: readonly SubmissionStep<StoredSubmission>[] = [
  // the sums of the orders in each period. Source: V-115, V-116
  {
    name: "period-limits",
    appliesTo: ({ shape }) => shape.permission !== undefined,
    check({ kind, asked, exceeded }) {
      if (exceeded.length === 0) return;
      const faults = exceededFaults(present(asked.limits, "the limits of a consent"), exceeded);
      throw new ApiError(400, locatedFaults(faults, orderPathsOf(kind.format)));
    },
  },
];

const stepsFor = <State>(kind: ServedKind, steps: readonly SubmissionStep<State>[]) =>
  steps.filter(({ appliesTo }) => appliesTo?.(kind) ?? true);

/** The names of a kind's steps. */
export const submissionStepsOf = (kind: ServedKind): string[] =>
  namesOf([...stepsFor(kind, submissionSteps), ...stepsFor(kind, storingSteps)]);

/**
 * The body that an order is compared with: that of its consent. If the customer chose the account
 * and the order names it, so does that body. Source: V-107.
 */
function withChosenDebtor(format: Format, consent: Consent, order: unknown): ConsentBody {
  const agreed = bodyOn(format, consent);
  const { chosenDebtor: path } = format;
  if (path === undefined || !hasMember(order, path) || hasMember(agreed, path)) return agreed;
  const { debtor } = consent;
  const [part = "", member = ""] = path.split(".").slice(1);
  const named = debtor && {
    [member]: renderAccount(standardAccount(debtor, { international: null })),
  };
  const initiation = agreed.Data[part] as object; // as the schema has it
  return { ...agreed, Data: { ...agreed.Data, [part]: { ...initiation, ...named } } };
}

/** Runs the steps that a submission needs before its order is stored. */
export function judgeSubmission(submission: JudgedSubmission): void {
  // safe: `consent` comes before every step that reads it
  runSteps(stepsFor(submission.kind, submissionSteps), submission as Found);
}

/** Runs the steps that the storing statement has decided. */
export const judgeStored = (stored: StoredSubmission): void =>
  runSteps(stepsFor(stored.kind, storingSteps), stored);

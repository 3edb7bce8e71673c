import { statusesBefore } from "#src/consents/states.ts";
import { notYours, otherConsent } from "#src/http/access/access.ts";
import { ApiError } from "#src/http/api-error.ts";
import { stepsFrom } from "#src/http/steps.ts";
import { cutOffOf, hasCome } from "#src/payments/calendar/timing.ts";
import {
  type FoundSubmission,
  type JudgedSubmission,
  type OrderShape,
  type ServedKind,
  servedResource,
} from "#src/payments/definitions/payment-kind.ts";
import { bodyOn, orderPathsOf } from "#src/payments/formats/format.ts";
import { onceEach } from "#src/payments/order/create-order.ts";
import { type Check, checkExecutionDay, locatedFaults } from "#src/payments/request/checks.ts";
import { type Difference, firstDifferenceAt } from "#src/payments/request/match.ts";
import {
  afterCutOff,
  checkSameRequest,
  consentOfOtherKind,
  different,
  grantedTo,
  quoteExpired,
  wrongStatus,
} from "#src/payments/request/refusals.ts";
import { chargesOf } from "#src/payments/request/tariff.ts";
import { listedPayment } from "./summary-parts.ts";

// The shapes of orders: each folder here has one object with what differs by it, and a kind's row
// names one. The files in this folder are the parts that several shapes share: the checks of a
// submission in the standard's order (this file; a shape may put its own between them), an order
// and its payments (draft-order.ts), the customer's texts (summary-parts.ts), cancelling
// (cancelling.ts), and what `./aldgate verify` checks (order-invariants.ts). Source: P-142…P-163.

/**
 * The check of a repeated request, which gets the order that the first one created. Source: P-047,
 * P-050, P-057.
 */
export const replaySteps = stepsFrom<JudgedSubmission, ServedKind>().add({
  name: "replay",
  check({ kind, config, request, fingerprint, earlier }) {
    if (earlier === null) return;
    checkSameRequest(earlier.bound, fingerprint, kind.format, config);
    const granted = grantedTo(request);
    const { consentId } = earlier.order;
    if (consentId !== granted) throw otherConsent("Data.ConsentId", granted, consentId);
  },
});

/** The checks of the consent of an order. */
export const consentSteps = stepsFrom<JudgedSubmission, ServedKind>()
  .add({
    name: "schema",
    check({ kind, consent, faults, request }) {
      // the members that another kind's order lacks would not say why
      if (consent && consent.kind !== kind.id && consent.consentId === grantedTo(request)) {
        throw consentOfOtherKind(consent.kind, kind.id);
      }
      if (faults.length > 0) throw new ApiError(400, faults);
    },
  })
  // Source: P-160, P-163
  .add({
    name: "consent",
    check({ kind, consent, request }) {
      return { consent: servedResource(kind, consent, request, "Data.ConsentId", "uses") };
    },
  })
  // Refuses another TPP's consent, or one that the token does not belong to. Source: P-161, P-162.
  .add({
    name: "owner",
    check({ consent, request }) {
      const { clientId, consentId } = consent;
      if (clientId !== request.access.clientId) throw notYours("Data.ConsentId");
      const granted = grantedTo(request);
      if (consentId !== granted) throw otherConsent("Data.ConsentId", granted, consentId);
    },
  })
  // Source: P-149…P-151
  .add({
    name: "status",
    check({ kind, consent: { status } }) {
      const usable = statusesBefore(kind.consent, "consume");
      if (!usable.includes(status)) {
        throw wrongStatus(kind.format.version.consents, status, usable);
      }
    },
  });

/** Checks that an order repeats its consent, and states no dates that have passed meanwhile. */
const repeatSteps = stepsFrom<FoundSubmission, ServedKind>()
  // Source: P-152…P-158
  .add({
    name: "match",
    check({ kind: { format }, consent, request: { body } }) {
      refuseDifference(firstDifferenceAt(format.repeated, bodyOn(format, consent), body));
    },
  })
  .add({ name: "dates", check: (submission) => checkRequest(submission, []) });

/** Throws if a member of an order differs from its consent. */
export function refuseDifference(difference: Difference | null): void {
  if (difference === null) return;
  const { path, consented, submitted } = difference;
  throw different(path, consented, submitted);
}

/** Checks the request of an order by these checks and by those of its dates. */
export function checkRequest(
  { kind, config, ordered, request: { now } }: FoundSubmission,
  own: readonly Check[],
): void {
  const none = { debtor: null, exchange: null, contracts: [], schemeStatus: null };
  const checked = { kind, request: ordered, now, config, ...none };
  const checks = [...own, checkExecutionDay, ...(kind.orderChecks ?? [])];
  const found = checks.flatMap((check) => check(checked));
  if (found.length > 0) throw new ApiError(400, locatedFaults(found, orderPathsOf(kind.format)));
}

/** The checks of the time at which an order arrives. */
export const timeSteps = stepsFrom<FoundSubmission, ServedKind>()
  // Source: P-127
  .add({
    name: "rate",
    check({ consent, request: { now } }) {
      const { expiresAt = null } = consent.terms.exchangeRate ?? {};
      if (expiresAt !== null && hasCome(expiresAt, now)) throw quoteExpired(expiresAt);
    },
  })
  .add({
    name: "cut-off",
    check({ kind, config, consent, request: { now } }) {
      const { cutOff } = consent.terms;
      if (cutOff === undefined || cutOffOf(kind, config).strategy !== "reject") return;
      if (hasCome(cutOff, now)) throw afterCutOff();
    },
  });

/** The steps of an order that only repeats its consent. */
const orderSteps = consentSteps.addAll(repeatSteps).addAll(timeSteps);

/** The parts of a shape whose orders use up their consent, and repeat what it says. */
export const usesUpConsent = {
  use: "once",
  requestedBy: (consented) => consented,
  steps: { replay: replaySteps, order: orderSteps },
  chargesOf,
  originOf: ({ consent: { consentId } }) => ({ of: "consent", consentId }),
  create: (order, { createOrder }) => createOrder(onceEach, order),
  listed: listedPayment,
} as const satisfies Partial<OrderShape<"once">>;

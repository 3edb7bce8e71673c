import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { ApiError, refusal } from "#src/http/api-error.ts";
import { stepsFrom } from "#src/http/steps.ts";
import { present } from "#src/lib/assert.ts";
import { bankDay } from "#src/payments/calendar/timing.ts";
import {
  type JudgedSubmission,
  requestOf,
  type ServedKind,
  type StoredSubmission,
} from "#src/payments/definitions/payment-kind.ts";
import { bodyOn, type Format, orderPathsOf } from "#src/payments/formats/format.ts";
import { renderAccount } from "#src/payments/formats/render-parts.ts";
import { checkLimits, exceededFaults } from "#src/payments/limits/order-limits.ts";
import { standardAccount } from "#src/payments/order/payment-order.ts";
import { locatedFaults, paymentChecks } from "#src/payments/request/checks.ts";
import { hasMember, partOf } from "#src/payments/request/json-path.ts";
import { firstDifferenceAt, firstDifferenceElsewhere } from "#src/payments/request/match.ts";
import { checkNotPaused, shutOut } from "#src/payments/request/refusals.ts";
import {
  checkRequest,
  consentSteps,
  refuseDifference,
  replaySteps,
  timeSteps,
} from "#src/payments/shapes/order-steps.ts";
import { isOfScheme, isShutOut } from "#src/standard/shared/vrp-types.ts";

const replay = stepsFrom<JudgedSubmission, ServedKind>()
  // Source: V-131
  .add({
    name: "payload-version",
    applies: ({ format }) => format.instruction?.payloadVersions !== undefined,
    check({ kind, request: { headers } }) {
      const given = headers["payload-version"];
      const { payloadVersions = [] } = kind.format.instruction ?? {};
      if (given === undefined) return;
      if (typeof given === "string" && payloadVersions.includes(given)) return;
      const message = `payload-version must be one of ${payloadVersions.join(", ")}, or left out.`;
      throw refusal("U006", "payload-version", message);
    },
  })
  .addAll(replaySteps);

const order = consentSteps
  // Source: P-152…P-158, V-101…V-105
  .add({
    name: "match",
    check({ kind: { format }, consent, request: { body } }) {
      const agreed = withChosenDebtor(format, consent, body);
      refuseDifference(
        firstDifferenceAt(format.repeated, agreed, body) ??
          firstDifferenceElsewhere(format.instruction?.repeated ?? [], agreed, body),
      );
    },
  })
  .add({
    name: "dates",
    check: (submission) => checkRequest(submission, [...paymentChecks, ...submission.kind.checks]),
  })
  .addAll(timeSteps)
  // Source: CV-21, CV-24
  .add({
    name: "scheme",
    check({ kind, ordered, request }) {
      const { type } = ordered.use ?? {};
      const { schemeStatus } = request.access;
      if (type == null || !isOfScheme(type) || !isShutOut(schemeStatus)) return;
      throw shutOut(orderPathsOf(kind.format)["use.type"] ?? "Data", type, schemeStatus);
    },
  })
  // Source: CV-88
  .add({ name: "pause", check: ({ consent }) => checkNotPaused(consent) })
  // the limits of a single order
  .add({
    name: "limits",
    check({ kind, consent, ordered, request: { now } }) {
      const limits = present(requestOf(kind, consent).limits, "the limits of a consent");
      const faults = checkLimits(limits, ordered, bankDay(now));
      if (faults.length > 0)
        throw new ApiError(400, locatedFaults(faults, orderPathsOf(kind.format)));
    },
  });

const storing = stepsFrom<StoredSubmission, ServedKind>()
  // the sums of the orders in each period. Source: V-115, V-116
  .add({
    name: "period-limits",
    check({ kind, asked, exceeded }) {
      if (exceeded.length === 0) return;
      const faults = exceededFaults(present(asked.limits, "the limits of a consent"), exceeded);
      throw new ApiError(400, locatedFaults(faults, orderPathsOf(kind.format)));
    },
  });

/** The checks of an order that states its own payment, within the limits of its consent. */
export const limitSteps = { replay, order, storing };

/**
 * The body that an order is compared with: that of its consent. If the customer chose the account
 * and the order names it, so does that body. Source: V-107.
 */
function withChosenDebtor(format: Format, consent: Consent, order: unknown): ConsentBody {
  const agreed = bodyOn(format, consent);
  const path = format.instruction?.chosenDebtor;
  if (path === undefined || !hasMember(order, path) || hasMember(agreed, path)) return agreed;
  const { debtor } = consent;
  const part = partOf(path);
  const member = path.slice(path.lastIndexOf(".") + 1);
  const named = debtor && {
    [member]: renderAccount(standardAccount(debtor, { international: null })),
  };
  const initiation = agreed.Data[part] as object; // as the schema has it
  return { ...agreed, Data: { ...agreed.Data, [part]: { ...initiation, ...named } } };
}

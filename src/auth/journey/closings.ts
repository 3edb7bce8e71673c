import type { StatusReason } from "#src/consents/consent.ts";
import { reasonName, type StatusReasonName } from "#src/consents/status-reasons.ts";
import type { ClosedReason, LateReason } from "#src/pages/journey-reasons.ts";
import type { JourneyOutcome } from "./outcomes.ts";

/** How a journey ends because of its consent, and what its customer reads of the reason. */
type Closing = {
  outcome: Exclude<JourneyOutcome, "approved">;
  reason: LateReason | ClosedReason | null;
};

const as = (outcome: Closing["outcome"]): Closing => ({ outcome, reason: null });
const late = (reason: LateReason): Closing => ({ outcome: "too_late", reason });
const closed = (reason: ClosedReason): Closing => ({ outcome: "closed", reason });

/** What each status reason of a consent means for a journey that goes on: a row for each reason. */
export const closings: Readonly<Record<StatusReasonName, Closing>> = {
  fileMissing: as("closed"),
  unauthorised: as("closed"),
  used: as("overtaken"),
  unanswered: as("expired"),
  expired: as("expired"),
  notAuthenticated: closed("notAuthenticated"),
  cancelled: closed("cancelled"),
  altered: closed("altered"),
  wrongAccount: closed("wrongAccount"),
  ambiguousAccount: closed("wrongAccount"),
  unmet: closed("unmet"),
  cutOffPassed: late("cutOffPassed"),
  rateExpired: late("rateExpired"),
  dateCome: late("dateCome"),
  completionPassed: late("completionPassed"),
  contractOver: as("agreement_over"),
  contractStopped: as("agreement_over"),
  stoppedByCustomer: closed("stoppedByCustomer"),
  stoppedByBank: closed("stoppedByBank"),
};

/** What a consent's reason means. One that is not Aldgate's own says only that it is closed. */
export function closingOf([reason]: readonly StatusReason[]): Closing {
  const name = reasonName(reason);
  return name === null ? as("closed") : closings[name];
}

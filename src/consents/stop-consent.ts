import { byBank, byCustomer } from "#src/history/change.ts";
import type { ConsentStatus } from "#src/standard/api-version.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Consent, moveConsent, type StopChannel } from "./consent.ts";
import { type ConsentCourse, statusesBefore } from "./states.ts";
import { stopReason } from "./status-reasons.ts";

/** Who has decided to stop a consent; `channel` is missing on the customer's own pages. */
export type Stop = { by: "customer" | "bank"; channel?: StopChannel };

/**
 * Stops a consent for its customer or for the bank. Returns false if its status does not allow
 * that. The TPP is not shown the channel. Source: V-080.
 */
export function stopConsent(
  on: Queryable,
  consent: Pick<Consent, "consentId">,
  course: ConsentCourse,
  { by, channel }: Stop,
  now: Temporal.Instant,
): Promise<boolean> {
  const reason = stopReason(by, course.stopping);
  const reasons = [channel === undefined ? reason : { ...reason, channel }];
  const why = by === "customer" ? byCustomer(now) : byBank(now);
  return moveConsent(on, consent, course, "revoke", reasons, why);
}

/** Says why a consent cannot be stopped. `word` gives the words of the reader for statuses. */
export function whyNotStopped(
  { kind, status }: Pick<Consent, "kind" | "status">,
  course: ConsentCourse,
  word: (status: ConsentStatus) => string = (status) => status,
): string {
  const before = new Set(statusesBefore(course, "revoke").map(word));
  const allowed = [...before].join(" or ");
  return allowed === ""
    ? `Customers cannot withdraw a consent of the kind ${kind}: it is used once.`
    : `The consent is ${word(status)}. A customer can withdraw a consent that is ${allowed}.`;
}

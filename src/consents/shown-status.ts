import { formatInstant } from "#src/lib/date-time.ts";
import type { ConsentRules } from "#src/standard/api-version.ts";
import type { Consent } from "./consent.ts";

/**
 * The id, the times and the status of a consent in a version's words. If the version has the same
 * word before and after a change, the time of the change is not shown.
 */
export function shownStatus(
  { words }: Pick<ConsentRules, "words">,
  consent: Pick<Consent, "consentId" | "createdAt" | "status" | "statusUpdatedAt" | "authorisedAt">,
) {
  const other = consent.status === "AUTH" ? "CANC" : consent.status;
  const changedAt = words[other] === words.AUTH ? consent.authorisedAt : null;
  return {
    ConsentId: consent.consentId,
    CreationDateTime: formatInstant(consent.createdAt),
    Status: words[consent.status],
    StatusUpdateDateTime: formatInstant(changedAt ?? consent.statusUpdatedAt),
  };
}

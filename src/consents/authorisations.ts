import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Evidence } from "./consent.ts";

/** One authorisation of a consent, with its evidence. */
export type GivenAuthorisation = {
  customerId: string;
  /** When the consent was authorised; `answeredAt` is when the customer confirmed it. */
  authorisedAt: Temporal.Instant;
  /** When its grant ended, and why; null while it is in use. */
  endedAt: Temporal.Instant | null;
  ending: string | null;
} & Pick<Evidence, "acr" | "amr" | "challengeId" | "shownHash"> & {
    // null for authorisations of earlier releases
    [Member in "method" | "answeredAt" | "shown"]: Evidence[Member] | null;
  };

/** Lists the authorisations of a consent, the oldest first. */
export const listAuthorisations = (
  on: Queryable,
  consentId: string,
): Promise<GivenAuthorisation[]> =>
  on.query(sql`
    select customer_id as "customerId", authorised_at as "authorisedAt", method,
      answered_at as "answeredAt", acr, amr, challenge_id as "challengeId",
      shown_hash as "shownHash", shown, ended_at as "endedAt", ending
    from consent_authorisation where consent_id = ${consentId}
    order by authorised_at, ended_at nulls last`);

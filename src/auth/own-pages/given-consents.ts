import { type ClientName, clientName, clientText } from "#src/clients/client-name.ts";
import { type ConsentRow, consentOfRow } from "#src/consents/consent.ts";
import { type SharedAccess, sharedAccess } from "#src/consents/shared-access.ts";
import { dateText } from "#src/pages/wording.ts";
import type { Scope } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { OwnPagesDeps } from "./deps.ts";

/** A consent that a customer has given, with the name under which customers know its TPP. */
export type GivenConsent = SharedAccess & { clientName: string };

/** How long ended consents are shown: 400 days, a little more than 13 months. */
const historyHours = 400 * 24;

/** Which consents are loaded. */
type Wanted = {
  kinds: readonly { id: KindId }[];
  /** The scope of these kinds. The name that is shown for a TPP depends on it. */
  scope: Scope;
  /** The clauses of SQL that filter and sort the consents, as the table `c`. */
  choice: Sql;
};

/** Loads consents that a customer has given. Those that ended over 400 days ago are left out. */
export async function loadGiven(
  { database, clock }: Pick<OwnPagesDeps, "database" | "clock">,
  customerId: string,
  { kinds, scope, choice }: Wanted,
): Promise<GivenConsent[]> {
  const ids = kinds.map(({ id }) => id);
  const since = clock.now().subtract({ hours: historyHours });
  const rows = await database.query<ConsentRow<SharedAccess> & ClientName>(sql`
    select c.*, n."softwareName", n."onBehalfOf"
    from ${sharedAccess(customerId, ids, since)} c
      cross join lateral (${clientName(sql`c."clientId"`)}) n
    ${choice}`);
  return rows.map((row) => ({
    ...consentOfRow<SharedAccess>(row),
    clientName: clientText(row, scope),
  }));
}

/** Returns the status that the customer sees: `Active`, `Paused`, or how a consent ended. */
export function statusText(given: GivenConsent, now: Temporal.Instant): string {
  if (given.deletedAt) return `Ended by ${given.clientName}`;
  if (given.status === "CANC") {
    const isByBank = given.statusReason.some(({ code }) => code === "TKSP");
    return isByBank ? "Stopped by us" : "Stopped by you";
  }
  if (given.status === "EXPD") return "Expired";
  if (given.expiresAt && Temporal.Instant.compare(given.expiresAt, now) <= 0) return "Expired";
  if (given.status !== "AUTH") return "Ended";
  return given.pausedAt === null ? "Active" : "Paused";
}

/** Returns when a consent ended; null while it is active or paused. */
export function endOf(given: GivenConsent, now: Temporal.Instant): Temporal.Instant | null {
  const status = statusText(given, now);
  if (status === "Active" || status === "Paused") return null;
  return status === "Expired" ? given.expiresAt : (given.deletedAt ?? given.statusUpdatedAt);
}

/** `Since 1 May 2026, until you cancel`, or `From 1 May 2026 to 3 June 2026`. */
export function periodText(
  { authorisedAt }: GivenConsent,
  endedAt: Temporal.Instant | null,
  until = "",
): string {
  const granted = authorisedAt ? dateText(authorisedAt) : "";
  if (endedAt !== null) return `From ${granted} to ${dateText(endedAt)}`;
  return `Since ${granted}${until && `, ${until}`}`;
}

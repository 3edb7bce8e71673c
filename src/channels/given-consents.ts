import { type ClientName, clientName, clientText } from "#src/clients/client-name.ts";
import { type ConsentRow, consentOfRow } from "#src/consents/consent.ts";
import { type SharedAccess, sharedAccess, sharedConsent } from "#src/consents/shared-access.ts";
import type { Clock } from "#src/lib/clock.ts";
import { dateText } from "#src/pages/wording.ts";
import type { Scope } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** A consent that a customer has given, with the name under which customers know its TPP. */
export type GivenConsent = SharedAccess & { clientName: string };

/** How long ended consents are shown: 400 days, a little more than 13 months. */
const historyHours = 400 * 24;

/** Which consents are loaded. */
type Wanted = {
  kinds: readonly { id: KindId }[];
  /** The scope of a kind, or of all. The name that is shown for a TPP depends on it. */
  scope: Scope | ((kind: KindId) => Scope);
  /** The clauses of SQL that filter and sort the consents, as the table `c`. */
  choice: Sql;
};

/** Loads consents that a customer has given. Those that ended over 400 days ago are left out. */
export async function loadGiven(
  { database, clock }: { database: Queryable; clock: Clock },
  customerId: string,
  { kinds, scope, choice }: Wanted,
): Promise<GivenConsent[]> {
  const ids = kinds.map(({ id }) => id);
  const since = clock.now().subtract({ hours: historyHours });
  return loadNamed(database, sql`${sharedAccess(customerId, ids, since)} c`, scope, choice);
}

/** Loads one consent that a customer has given, whether it has ended or not. */
export async function findGiven(
  on: Queryable,
  consentId: string,
  scope: Wanted["scope"],
): Promise<GivenConsent | undefined> {
  const [found] = await loadNamed(on, sql`${sharedConsent(consentId)} c`, scope, sql``);
  return found;
}

async function loadNamed(
  on: Queryable,
  consents: Sql,
  scope: Wanted["scope"],
  choice: Sql,
): Promise<GivenConsent[]> {
  const rows = await on.query<ConsentRow<SharedAccess> & ClientName>(sql`
    select c.*, n."softwareName", n."onBehalfOf"
    from ${consents} cross join lateral (${clientName(sql`c."clientId"`)}) n
    ${choice}`);
  return rows.map((row) => {
    const consent = consentOfRow<SharedAccess>(row);
    const named = typeof scope === "string" ? scope : scope(consent.kind);
    return { ...consent, clientName: clientText(row, named) };
  });
}

/** Returns the status that the customer sees: `Active`, `Paused`, or how a consent ended. */
export function statusText(given: GivenConsent, now: Temporal.Instant): string {
  if (given.deletedAt) return `Ended by ${given.clientName}`;
  if (given.authorisedAt === null) {
    return given.status === "RJCT" ? "Not approved" : "Not approved yet";
  }
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
  if (["Active", "Paused", "Not approved yet"].includes(status)) return null;
  return status === "Expired" ? given.expiresAt : (given.deletedAt ?? given.statusUpdatedAt);
}

/** `Since 1 May 2026, until you cancel`, `From 1 May 2026 to 3 June 2026`, or `On 1 May 2026`. */
export function periodText(
  { authorisedAt }: GivenConsent,
  endedAt: Temporal.Instant | null,
  until = "",
): string {
  const granted = authorisedAt ? dateText(authorisedAt) : "";
  if (endedAt !== null) {
    const ended = dateText(endedAt);
    return granted === ended ? `On ${granted}` : `From ${granted} to ${ended}`;
  }
  return `Since ${granted}${until && `, ${until}`}`;
}

import {
  type ClientStanding,
  type ListedSoftware,
  listedSoftwareOf,
  lockStandings,
  standingChange,
  statusReading,
  takeDueStatus,
} from "#src/clients/directory-status.ts";
import { lockSoftware } from "#src/clients/register-client.ts";
import { byBank } from "#src/history/change.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import type { Fetcher } from "#src/http/outgoing/guarded-request.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newUuid } from "#src/lib/ids.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { type ClaimRow, type Claims, faultsOf, unless } from "./claims.ts";
import type { RegistrationFault } from "./fault.ts";
import { scopesOfRoles, scopesWithRole } from "./request-rules.ts";
import { authorityOf, isActive, organisationStatusRow, statementRoles } from "./statement.ts";
import { mirrored, type StatementIssuer } from "./statement-issuer.ts";
import { recordAttempt } from "./store-registration.ts";

/** What a directory says about software now. */
type DirectoryStatus = {
  /** Why no client of the software is served; null if its clients are served. */
  fault: RegistrationFault | null;
  /** The scopes that the roles of the software and the competent authority allow. */
  allowedScopes: readonly string[];
};

/** The status of software, or the reason why it cannot be read. */
type StatusReading = DirectoryStatus | { reason: string };

const softwareStatusRow: ClaimRow<unknown> = {
  rule: "R-112",
  claim: "software_status",
  error: "unapproved_software_statement",
  check: (value) =>
    unless(
      value === undefined || isActive(value),
      "be Active. Only software that is active in the directory is served",
    ),
};

/**
 * Reads the status of software from its directory: a JSON document with the claims that a software
 * statement has for it. Never throws. Any other response, an unknown document included, is not a
 * status: a directory that fails must not suspend a client. Source: R-112.
 */
async function readStatus(
  fetcher: Fetcher,
  issuer: StatementIssuer,
  ids: { softwareId: string; organisationId: string },
): Promise<StatusReading> {
  if (issuer.statusUrl === null) return { reason: `${issuer.iss} has no statusUrl` };
  const url = issuer.statusUrl
    .replaceAll("{org_id}", encodeURIComponent(ids.organisationId))
    .replaceAll("{software_id}", encodeURIComponent(ids.softwareId));
  const fetched = await fetcher.get(mirrored(issuer, url));
  if (fetched.body === null) return { reason: `${url}: ${fetched.reason}` };
  try {
    const claims = parseJsonObject(fetched.body, (why) => new Error(`the document ${why}`));
    return statusOf(claims, ids) ?? { reason: `${url}: the document has no status` };
  } catch (error) {
    return { reason: `${url}: ${(error as Error).message}` };
  }
}

/** The status that a document gives; null if it does not give one of this software. */
function statusOf(
  claims: Claims,
  ids: { softwareId: string; organisationId: string },
): DirectoryStatus | null {
  const { org_status, org_id = ids.organisationId, software_id = ids.softwareId } = claims;
  if (typeof org_status !== "string") return null;
  if (org_id !== ids.organisationId || software_id !== ids.softwareId) return null;
  const [fault = null] = faultsOf([organisationStatusRow, softwareStatusRow], { claims });
  const { software_roles: roles, organisation_competent_authority_claims: authority } = claims;
  const byRoles = roles === undefined ? scopesWithRole : scopesOfRoles(statementRoles(claims));
  const byAuthority =
    authority === undefined ? scopesWithRole : scopesOfRoles(authorityOf(authority).roles);
  return { fault, allowedScopes: byRoles.filter((scope) => byAuthority.includes(scope)) };
}

type StatusDeps = {
  database: Database;
  issuers: readonly StatementIssuer[];
  fetcher: Fetcher;
  /** The bank's clock, for the history of clients. */
  clock: Clock;
  /** The machine's clock. */
  machineClock: Clock;
  /** Called if a status cannot be read; the clients stay as they are. */
  onFailure(softwareId: string, reason: string): void;
};

/** Keeps the standing of registered clients as their directories decide. */
export type StatusRefresh = {
  /** Reads the status of a client's software now. Returns why that is impossible; null if done. */
  check(clientId: string): Promise<string | null>;
  /** Reads the status of the software that is due. Processes share the work. */
  sweep(): Promise<void>;
};

const softwareAtOnce = 10;
const everyHours = 24;
const retryMinutes = 60;

/**
 * Makes the checks of status: of each registered software once a day, after each registration, and
 * on demand. A client is suspended while its organisation or its software is not active, or none of
 * its scopes is allowed; a scope whose role is lost is withheld. When the directory
 * allows a client again, it is restored only if the directory suspended it. Source: R-112.
 */
export function createStatusRefresh(deps: StatusDeps): StatusRefresh {
  const { database, machineClock } = deps;
  const issuers = deps.issuers.filter(({ statusUrl }) => statusUrl !== null);
  const names = issuers.map(({ iss }) => iss);

  async function readAndStore(software: ListedSoftware): Promise<string | null> {
    const issuer = issuers.find(({ iss }) => iss === software.issuer);
    if (!issuer) {
      const { issuer: iss } = software;
      return `The bank has no statusUrl for ${iss}, the issuer of the client's statement.`;
    }
    const reading = await readStatus(deps.fetcher, issuer, software);
    if ("reason" in reading) {
      deps.onFailure(software.softwareId, reading.reason);
      return `The status cannot be read. ${reading.reason}.`;
    }
    await storeStatus(deps, software.softwareId, reading);
    return null;
  }

  return {
    async check(clientId) {
      const software = await first<ListedSoftware>(database, listedSoftwareOf(clientId));
      if (!software) return "The bank registered the client without a directory.";
      return readAndStore(software);
    },
    async sweep() {
      if (names.length === 0) return;
      const now = machineClock.now();
      const until = now.add({ minutes: retryMinutes });
      const due = await database.query<ListedSoftware>(
        takeDueStatus(names, { now, until }, softwareAtOnce),
      );
      await Promise.all(due.map(readAndStore));
    },
  };
}

function storeStatus(deps: StatusDeps, softwareId: string, found: DirectoryStatus): Promise<void> {
  const at = deps.machineClock.now();
  return deps.database.transaction(async (on) => {
    await lockSoftware(on, softwareId);
    await on.query(statusReading(softwareId, { at, dueAt: at.add({ hours: everyHours }) }));
    for (const standing of await lockStandings(on, softwareId)) {
      const next = nextStanding(standing, found);
      if (isSame(standing, next)) continue;
      const interactionId = newUuid();
      await on.query(standingChange(next, { ...byBank(deps.clock.now()), interactionId }));
      await record(on, next, { softwareId, interactionId, found, at });
    }
  });
}

/** The standing of a client after a reading. A suspension by the bank is not changed. */
function nextStanding(
  client: ClientStanding,
  { fault, allowedScopes }: DirectoryStatus,
): ClientStanding {
  const registered = client.scope.split(" ").filter((word) => scopesWithRole.includes(word));
  const withheldScopes = registered.filter((word) => !allowedScopes.includes(word));
  const isUseless = registered.length > 0 && withheldScopes.length === registered.length;
  const because = fault?.description ?? (isUseless ? noScope(withheldScopes) : null);
  if (client.status === "suspended" && client.suspendedBy !== "directory") {
    return { ...client, withheldScopes };
  }
  return because === null
    ? { ...client, status: "active", suspendedBy: null, suspendedBecause: null, withheldScopes }
    : {
        ...client,
        status: "suspended",
        suspendedBy: "directory",
        suspendedBecause: because,
        withheldScopes,
      };
}

const noScope = (scopes: readonly string[]): string =>
  `The directory no longer gives the organisation the roles that these scopes need: ${scopes.join(", ")}.`;

const isSame = (one: ClientStanding, other: ClientStanding): boolean =>
  one.status === other.status &&
  one.suspendedBecause === other.suspendedBecause &&
  one.withheldScopes.join(" ") === other.withheldScopes.join(" ");

function record(
  on: Queryable,
  { clientId, status, suspendedBecause, withheldScopes }: ClientStanding,
  given: {
    softwareId: string;
    interactionId: string;
    found: DirectoryStatus;
    at: Temporal.Instant;
  },
): Promise<void> {
  const { softwareId, interactionId, found, at } = given;
  const withheld =
    withheldScopes.length === 0 ? null : `Scopes are withheld: ${withheldScopes.join(", ")}.`;
  return recordAttempt(on, {
    at,
    interactionId,
    method: "status",
    certificateSubject: null,
    softwareId,
    clientId,
    status: status === "active" ? 200 : 403,
    rule: found.fault?.rule ?? (withheld === null ? null : "R-059"),
    description: suspendedBecause ?? withheld,
  });
}

import { parseJsonObject } from "#src/http/json-object.ts";
import type { Fetcher } from "#src/http/outgoing/guarded-get.ts";
import { type ClaimRow, type Claims, faultsOf, unless } from "./claim-row.ts";
import type { RegistrationFault } from "./fault.ts";
import { scopesOfRoles, scopesWithRole } from "./registered-scope.ts";
import { authorityOf, statementRoles } from "./statement.ts";
import { mirrored, type StatementIssuer } from "./statement-issuer.ts";
import { isActive, organisationStatusRow } from "./statement-rules.ts";

/** What a directory says about software now. */
export type DirectoryStatus = {
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
export async function readStatus(
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

import { textOf } from "#src/lib/plain-text.ts";
import type { Claims } from "./claim-row.ts";
import { type KeySource, statedKeys } from "./software-keys.ts";
import type { StatementIssuer } from "./statement-issuer.ts";

/** A software statement that is valid. */
export type SoftwareStatement = {
  /** As it was received. */
  text: string;
  issuer: StatementIssuer;
  claims: Claims;
  jti: string;
  organisationId: string;
  organisationName: string;
  softwareId: string;
  softwareName: string;
  onBehalfOf: string | null;
  roles: readonly string[];
  redirectUris: readonly string[];
  keySource: KeySource;
  authority: CompetentAuthority;
};

/** The competent authority's entry about the organisation. Source. */
type CompetentAuthority = {
  registrationId: string | null;
  /** The roles for which it is authorised in the United Kingdom. */
  roles: readonly string[];
};

/** The statement with these claims, which `statementRows` have checked. */
export function statementOf(
  text: string,
  claims: Claims,
  issuer: StatementIssuer,
): SoftwareStatement {
  const softwareName = textOf(claims.software_client_name);
  const { org_name: organisation, software_on_behalf_of_org: onBehalfOf } = claims;
  return {
    text,
    issuer,
    claims,
    jti: textOf(claims.jti),
    organisationId: textOf(claims.org_id),
    organisationName: typeof organisation === "string" ? organisation : softwareName,
    softwareId: textOf(claims.software_id),
    softwareName,
    onBehalfOf: typeof onBehalfOf === "string" && onBehalfOf !== "" ? onBehalfOf : null,
    roles: statementRoles(claims),
    redirectUris: texts(claims.software_redirect_uris),
    keySource: keySourceOf(claims),
    authority: authorityOf(claims.organisation_competent_authority_claims),
  };
}

function keySourceOf(claims: Claims): KeySource {
  const jwks = statedKeys(claims.jwks);
  if (jwks !== null) return { jwks };
  const revoked = claims.software_jwks_revoked_endpoint;
  return {
    jwksUri: textOf(claims.software_jwks_endpoint),
    revokedJwksUri: typeof revoked === "string" ? revoked : null,
  };
}

/** The roles that a statement claims, in capitals. */
export const statementRoles = ({ software_roles: roles }: Claims): string[] =>
  texts(roles).map((role) => role.toUpperCase());

const home = "GB";

/**
 * What `organisation_competent_authority_claims` says. Directories write it as an object or as a
 * list of one.
 */
export function authorityOf(value: unknown): CompetentAuthority {
  const all = (Array.isArray(value) ? value : [value]).map(membersOf);
  const active = all.filter((one) => textOf(one.status).toLowerCase() === "active");
  const roles = active
    .flatMap(({ authorisations }) => (Array.isArray(authorisations) ? authorisations : []))
    .map(membersOf)
    .filter(({ member_state: state }) => textOf(state).toUpperCase() === home)
    .flatMap((one) => texts(one.roles))
    .map((role) => role.toUpperCase());
  const registrationId = active.map((one) => one.registration_id).find((id) => isId(id));
  return { registrationId: registrationId === undefined ? null : String(registrationId), roles };
}

const isId = (value: unknown): boolean =>
  typeof value === "string" && /^[0-9A-Za-z_.-]{3,64}$/.test(value);

const membersOf = (value: unknown): Claims =>
  typeof value === "object" && value !== null ? (value as Claims) : {};

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

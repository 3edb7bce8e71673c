import { countOf, plainText, textOf } from "#src/lib/plain-text.ts";
import {
  type ClaimRow,
  type Claims,
  isSeconds,
  isText,
  isTextList,
  secondsText,
  unless,
} from "./claims.ts";
import type { RegistrationSettings } from "./registration-settings.ts";
import {
  type KeySource,
  publishesAt,
  type StatementIssuer,
  statedKeys,
} from "./statement-issuer.ts";

/** A statement whose signature has been verified, and the facts that it is checked against. */
type StatementContext = {
  claims: Claims;
  issuer: StatementIssuer;
  settings: RegistrationSettings;
  /** The machine's time in seconds. */
  now: number;
};

type StatementRow = ClaimRow<StatementContext>;

/** The rule about the status of the organisation, in a statement and in the directory. */
export const organisationStatusRow: ClaimRow<unknown> = {
  rule: "R-105",
  claim: "org_status",
  error: "unapproved_software_statement",
  check: (value) =>
    unless(
      isActive(value),
      "be Active. Only organisations that are active in the directory are served",
    ),
};

/** Whether a status is Active, in any letter case. */
export const isActive = (value: unknown): boolean =>
  typeof value === "string" && value.toLowerCase() === "active";

const unreadable = { error: "invalid_software_statement" } as const;
const unapproved = { error: "unapproved_software_statement" } as const;
const futureSeconds = 60;
const longestName = 40;

/** The pattern of a software id. Source: R-043. */
const softwareIdPattern = /^[0-9a-zA-Z]{1,22}$/;

const newStatement = "Ask the directory for a new software statement";

const isName = (value: unknown): boolean =>
  isText(value, longestName) && value.trim() !== "" && plainText.test(value);

/** Every rule about the claims of a software statement. Source: R-100…R-113. */
export const statementRows: readonly StatementRow[] = [
  {
    rule: "R-103",
    claim: "iat",
    ...unreadable,
    check: (value, { now, settings: { statementSeconds } }) => {
      if (!isSeconds(value)) return "be the time of issue in seconds since 1970";
      const limit = now + futureSeconds;
      if (value > limit) return `not be after ${secondsText(limit)}, a minute from now`;
      if (statementSeconds === null || value >= now - statementSeconds) return null;
      const minutes = statementSeconds / 60;
      return `be at most ${countOf(minutes, "minute", "minutes")} ago. ${newStatement} and register with it`;
    },
  },
  {
    rule: "R-104",
    claim: "jti",
    ...unreadable,
    check: (value) => unless(isText(value, 128), "be an id of 1 to 128 characters"),
  },
  {
    rule: "R-043",
    claim: "software_id",
    ...unreadable,
    check: (value) =>
      unless(
        typeof value === "string" && softwareIdPattern.test(value),
        "be 1 to 22 letters and digits",
      ),
  },
  {
    rule: "R-101",
    claim: "org_id",
    ...unreadable,
    check: (value) =>
      unless(
        typeof value === "string" && /^[0-9a-zA-Z]{1,36}$/.test(value),
        "be an organisation id",
      ),
  },
  {
    rule: "R-111",
    claim: "software_client_name",
    ...unreadable,
    check: (value) =>
      unless(isName(value), "be the name that customers see: 1 to 40 printable characters"),
  },
  {
    rule: "R-111",
    claim: "software_on_behalf_of_org",
    ...unreadable,
    check: (value) =>
      unless(
        value === undefined || value === null || value === "" || isName(value),
        "be absent or have 1 to 40 printable characters",
      ),
  },
  organisationStatusRow,
  {
    rule: "R-107",
    claim: "software_mode",
    ...unapproved,
    check: (value, { settings: { isProduction } }) => {
      const mode = value === undefined ? "live" : textOf(value).toLowerCase();
      const isGood = mode === "live" || (mode === "test" && !isProduction);
      return unless(isGood, isProduction ? "be Live" : "be Live or Test");
    },
  },
  {
    rule: "R-108",
    claim: "software_environment",
    ...unapproved,
    check: (value, { issuer: { environment } }) =>
      unless(
        value === undefined || environment === null || value === environment,
        `be ${environment}, the environment of this bank`,
      ),
  },
  {
    rule: "R-049",
    claim: "software_redirect_uris",
    ...unreadable,
    check: (value) => unless(isTextList(value), "be a list of different URIs"),
  },
  {
    rule: "R-059",
    claim: "software_roles",
    ...unreadable,
    check: (value) =>
      unless(isTextList(value) && value.length > 0, "be a list of one or more roles"),
  },
  {
    rule: "R-109",
    claim: "jwks",
    ...unreadable,
    check: (value) => unless(value === undefined || statedKeys(value) !== null, keySetText),
  },
  {
    rule: "R-109",
    claim: "software_jwks_endpoint",
    ...unapproved,
    check: (value, { claims, issuer }) =>
      claims.jwks === undefined
        ? unless(publishesAt(issuer, value), hostsText(issuer))
        : unless(value === undefined, besideKeys),
  },
  {
    rule: "R-109",
    claim: "software_jwks_revoked_endpoint",
    ...unapproved,
    check: (value, { claims, issuer }) =>
      claims.jwks === undefined
        ? unless(value === undefined || publishesAt(issuer, value), hostsText(issuer))
        : unless(value === undefined, besideKeys),
  },
];

const keySetText =
  "be a JWK Set of 1 to 20 public keys with distinct kid, at least one of which is a signing key";

const besideKeys = "be absent, because the statement contains the keys in jwks";

const hostsText = ({ hosts }: StatementIssuer): string =>
  `be an https URL on ${hosts.join(" or ")}, where the issuer publishes keys`;

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
  return { registrationId: registrationId === undefined ? null : textOf(registrationId), roles };
}

const isId = (value: unknown): boolean =>
  typeof value === "string" && /^[0-9A-Za-z_.-]{3,64}$/.test(value);

const membersOf = (value: unknown): Claims =>
  typeof value === "object" && value !== null ? (value as Claims) : {};

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

import {
  type ChoosingMembers,
  securityProfileOf,
  securityProfiles,
} from "#src/clients/security-profile.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { algorithmFault, backchannelGrant, backchannelRows } from "./backchannel-rules.ts";
import { type RequestContext, subjectFault } from "./certificate-subject.ts";
import {
  type ClaimRow,
  type Claims,
  isRedirectUri,
  isSeconds,
  isText,
  isTextList,
  secondsText,
  unless,
} from "./claims.ts";
import { fault, type RegistrationFault, shown } from "./fault.ts";

type RequestRow = ClaimRow<RequestContext>;

const metadata = { error: "invalid_client_metadata" } as const;
const futureSeconds = 60;
const skewSeconds = 15;
// how long after its issue a request may be used
const longestMinutes = 60;
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The rules about time, replay and sender. They come before all others. */
export const envelopeRows: readonly RequestRow[] = [
  {
    rule: "R-045",
    claim: "exp",
    ...metadata,
    check: (value, { now, claims }) => {
      if (!isSeconds(value)) return "be a time in seconds since 1970";
      if (value <= now - skewSeconds) return `be after the bank's time, ${secondsText(now)}`;
      const start = isSeconds(claims.iat) ? Math.min(claims.iat, now + futureSeconds) : now;
      return unless(
        value <= start + longestMinutes * 60,
        `be at most ${longestMinutes} minutes after iat`,
      );
    },
  },
  {
    rule: "R-044",
    claim: "iat",
    ...metadata,
    check: (value, { now }) => {
      if (!isSeconds(value)) return "be the time of signing in seconds since 1970";
      const limit = now + futureSeconds;
      return unless(value <= limit, `not be after ${secondsText(limit)}, a minute from now`);
    },
  },
  {
    rule: "R-047",
    claim: "jti",
    ...metadata,
    check: (value) =>
      unless(typeof value === "string" && uuid4.test(value), "be a UUID of version 4"),
  },
  {
    rule: "R-043",
    claim: "iss",
    ...metadata,
    check: (value, { statement: { softwareId } }) =>
      unless(value === softwareId, `be the software_id of the software statement, ${softwareId}`),
  },
  {
    rule: "R-046",
    claim: "aud",
    ...metadata,
    check: (value, { settings: { audiences } }) => {
      const all = Array.isArray(value) ? value : [value];
      if (audiences.length === 0) {
        return unless(
          all.every((one) => isText(one, 512)),
          "name the bank",
        );
      }
      const isMeant = all.some((one) => audiences.includes(textOf(one)));
      return unless(isMeant, `be or contain one of ${audiences.join(", ")}`);
    },
  },
];

const grants = ["authorization_code", "client_credentials", "refresh_token"];
// grant types that the specification allows since version 3.3 or 3.4, but the bank may not offer
const notOffered: ReadonlySet<string> = new Set([
  backchannelGrant,
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
]);

// version 3.4 calls an application of a device native, the others mobile
const applicationTypes = ["web", "mobile", "native"];

const usesJwt = ({ claims }: RequestContext): boolean =>
  claims.token_endpoint_auth_method === "private_key_jwt";
const usesTls = ({ claims }: RequestContext): boolean =>
  claims.token_endpoint_auth_method === "tls_client_auth";

/** A list of allowed values, each of which may be left out if there are several. */
const listText = (values: readonly string[]): string =>
  values.length === 1
    ? `the list [${values.join()}]`
    : `a list that contains ${values.join(", ")} or both`;

/** The reason why a member depends on the security profile, as the end of a sentence. */
function reasonOf(claims: Claims): string {
  const { title, registered } = securityProfileOf(claims);
  const [chosen] = Object.keys(registered);
  if (chosen === undefined) return "";
  return `, because ${chosen} chooses ${title}. Leave out ${chosen} to use FAPI 1.0 Advanced`;
}

/** The rule of a member that chooses the security profile. */
const choice = (rule: string, claim: keyof ChoosingMembers): RequestRow => ({
  rule,
  claim,
  ...metadata,
  check: (value) =>
    unless(value === undefined || typeof value === "boolean", "be true, false or absent"),
});

/** The rules about the security profile. */
const profileRows: readonly RequestRow[] = [
  choice("S-001", "require_pushed_authorization_requests"),
  choice("S-002", "require_signed_request_object"),
  ...[...new Set(securityProfiles.flatMap(({ fixed }) => Object.keys(fixed)))].map(
    (claim): RequestRow => ({
      rule: "S-004",
      claim,
      ...metadata,
      check(value, { claims }) {
        const { fixed } = securityProfileOf(claims);
        if (value === undefined || !Object.hasOwn(fixed, claim)) return null;
        return unless(
          value === fixed[claim],
          `be absent or be ${textOf(fixed[claim])}${reasonOf(claims)}`,
        );
      },
    }),
  ),
];

/** The rules about what is registered, in the order of the specification. */
export const metadataRows: readonly RequestRow[] = [
  {
    rule: "R-048",
    claim: "client_id",
    ...metadata,
    check: (value, { clientId }) => {
      if (value === undefined) return null;
      if (clientId === null) {
        return unless(
          isText(value, 36),
          "be absent or have 1 to 36 characters; the bank chooses it",
        );
      }
      return unless(value === clientId, `be absent or be ${clientId}, as in the URL`);
    },
  },
  {
    rule: "R-049",
    claim: "redirect_uris",
    error: "invalid_redirect_uri",
    check: (value, { statement: { redirectUris }, settings: { isProduction } }) => {
      const uris = value === undefined ? redirectUris : value;
      if (!isTextList(uris)) return "be a list of different URIs";
      if (uris.length === 0) return "contain at least one URI";
      const bad = uris.find((uri: string) => !isRedirectUri(uri, { isProduction }));
      if (bad !== undefined) {
        const local = isProduction ? "not on localhost" : "or http URIs on localhost";
        return (
          `contain only https URIs of at most 256 characters, without a fragment, ${local}. ` +
          `Change ${bad.slice(0, 100)}`
        );
      }
      const foreign = uris.find((uri) => !redirectUris.includes(uri));
      return unless(
        foreign === undefined,
        `contain only URIs of software_redirect_uris in the software statement. Leave out ` +
          `${foreign?.slice(0, 100)}, or add it in the directory and use a new statement`,
      );
    },
  },
  {
    rule: "R-051",
    claim: "token_endpoint_auth_method",
    ...metadata,
    check: (value) =>
      unless(
        value === "private_key_jwt" || value === "tls_client_auth",
        "be private_key_jwt or tls_client_auth",
      ),
  },
  {
    rule: "R-052",
    claim: "token_endpoint_auth_signing_alg",
    ...metadata,
    check: (value, context) => (usesJwt(context) ? algorithmFault(value, context) : null),
  },
  {
    rule: "R-053",
    claim: "tls_client_auth_subject_dn",
    ...metadata,
    check: (value, context) => {
      if (usesTls(context)) return subjectFault(value, context);
      if (value === undefined || !usesJwt(context)) return null;
      // a change names the client's next certificate, whatever its authentication method
      return context.clientId === null ? null : subjectFault(value, context);
    },
  },
  {
    rule: "R-054",
    claim: "grant_types",
    ...metadata,
    check: (value, { settings: { backchannel } }) => {
      const optional = backchannel ? `refresh_token and ${backchannelGrant}` : "refresh_token";
      const all = [...grants.slice(0, 2), `and optionally ${optional}`].join(", ");
      if (!isTextList(value) || value.length === 0) return `be a list of ${all}`;
      const known = [...grants, ...(backchannel ? [backchannelGrant] : [])];
      const unknown = value.find((grant) => !known.includes(grant));
      if (unknown !== undefined) {
        const why = notOffered.has(unknown) ? "The bank does not offer" : "Leave out";
        return `be a list of ${all}. ${why} ${unknown.slice(0, 100)}`;
      }
      const missing = grants.slice(0, 2).filter((grant) => !value.includes(grant));
      return unless(missing.length === 0, `contain ${missing.join(" and ")}`);
    },
  },
  {
    rule: "R-055",
    claim: "response_types",
    ...metadata,
    check: (value, { claims }) => {
      if (value === undefined) return null;
      const { responseTypes } = securityProfileOf(claims);
      const isGood =
        isTextList(value) &&
        value.length > 0 &&
        value.every((one) => responseTypes.some((allowed) => allowed === one));
      return unless(isGood, `be absent, or be ${listText(responseTypes)}${reasonOf(claims)}`);
    },
  },
  {
    rule: "R-057",
    claim: "software_id",
    ...metadata,
    check: (value, { statement: { softwareId } }) =>
      unless(
        value === undefined || value === softwareId,
        `be absent or be the software_id of the software statement, ${softwareId}`,
      ),
  },
  {
    rule: "R-061",
    claim: "application_type",
    ...metadata,
    check: (value) =>
      unless(
        applicationTypes.some((type) => type === value),
        `be ${applicationTypes.join(" or ")}`,
      ),
  },
  {
    rule: "R-062",
    claim: "id_token_signed_response_alg",
    ...metadata,
    // the bank signs everything with one key
    check: (value) => unless(value === "PS256", "be PS256, with which the bank signs"),
  },
  {
    rule: "R-063",
    claim: "request_object_signing_alg",
    ...metadata,
    check: algorithmFault,
  },
  ...backchannelRows,
  ...profileRows,
];

const roleOfScope: Readonly<Record<string, string>> = {
  accounts: "AISP",
  payments: "PISP",
  fundsconfirmations: "CBPII",
};
const knownScopes = ["openid", ...Object.keys(roleOfScope)];
const longestScope = 256;

/** Every scope that needs a role. */
export const scopesWithRole: readonly string[] = Object.keys(roleOfScope);

/** The scopes that belong to roles. */
export const scopesOfRoles = (roles: readonly string[]): string[] =>
  Object.keys(roleOfScope).filter((scope) => roles.includes(roleOfScope[scope] ?? ""));

/** The scope to register, or the reason why none can be. */
type ScopeDecision = { scope: string; fault: null } | { scope: null; fault: RegistrationFault };

/**
 * Decides the scope of a client: what it asks for, as far as the statement's roles and the
 * competent authority allow it, without what the bank does not offer. Source,
 * RFC 7591 section 2 lets a server register less than was asked for.
 */
export function decideScope({ claims, statement, settings }: RequestContext): ScopeDecision {
  const { scope } = claims;
  const words = typeof scope === "string" && scope.length <= longestScope ? scope.split(" ") : [];
  const isKnown = words.length > 0 && words.every((word) => knownScopes.includes(word));
  if (!isKnown || new Set(words).size < words.length) {
    const must = `contain only ${knownScopes.join(", ")}, each at most once, separated by spaces`;
    return refuse("R-058", `scope is ${shown(scope)}; it must ${must}.`);
  }
  const word = words.find((one) => one !== "openid" && !isAllowed(one));
  if (word !== undefined) {
    const role = roleOfScope[word] ?? "";
    return statement.roles.includes(role)
      ? refuse(
          "R-106",
          `scope is ${shown(scope)}. Remove ${word}: the software statement has no active GB ` +
            `authorisation for the role ${role} (organisation_competent_authority_claims).`,
        )
      : refuse(
          "R-059",
          `scope is ${shown(scope)}. Remove ${word}: software_roles in the software statement does ` +
            `not contain ${role}.`,
        );
  }
  if (words.every((one) => one === "openid")) {
    const roles = Object.entries(roleOfScope).map(([name, role]) => `${name} (${role})`);
    const must = `contain at least one of ${roles.join(", ")}; the TPP must have the role in brackets`;
    return refuse("R-059", `scope is ${shown(scope)}; it must ${must}.`);
  }
  const { scopes } = settings;
  const offered = words.filter((one) => one === "openid" || scopes.some((each) => each === one));
  if (offered.every((one) => one === "openid")) {
    const must = `contain at least one scope that this bank offers: ${scopes.join(", ")}`;
    return refuse("R-059", `scope is ${shown(scope)}; it must ${must}.`);
  }
  return { scope: offered.join(" "), fault: null };

  function isAllowed(word: string): boolean {
    const role = roleOfScope[word] ?? "";
    return statement.roles.includes(role) && statement.authority.roles.includes(role);
  }
}

const refuse = (rule: string, description: string): ScopeDecision => ({
  scope: null,
  fault: fault(rule, "invalid_client_metadata", description),
});

import { securityProfileOf } from "#src/clients/security-profile.ts";
import type { RequestContext } from "./certificate-subject.ts";
import { readJws } from "./compact-jws.ts";
import { fault, type RegistrationFault, shown } from "./fault.ts";

/** The members of a request that are registered unchanged, if the request has them. */
const repeated = [
  "token_endpoint_auth_method",
  "grant_types",
  "application_type",
  "id_token_signed_response_alg",
  "request_object_signing_alg",
] as const;

/**
 * Returns what is registered for a client: the known members of the request, with the bank's
 * defaults, and the statement. Unknown members are left out. Source.
 */
export function registeredMetadata({
  claims,
  statement,
  scope,
}: Pick<RequestContext, "claims" | "statement"> & { scope: string }): Record<string, unknown> {
  const usesJwt = claims.token_endpoint_auth_method === "private_key_jwt";
  const own = usesJwt ? "token_endpoint_auth_signing_alg" : "tls_client_auth_subject_dn";
  const profile = securityProfileOf(claims);
  return {
    redirect_uris: claims.redirect_uris ?? statement.redirectUris,
    ...Object.fromEntries(repeated.map((name) => [name, claims[name]])),
    [own]: claims[own],
    response_types: claims.response_types ?? profile.defaultResponseTypes,
    ...profile.registered,
    ...Object.fromEntries(Object.keys(profile.fixed).map((name) => [name, claims[name]])),
    software_id: statement.softwareId,
    scope,
    software_statement: statement.text,
  };
}

// claims that concern only the request, or that an answer never has
const left = ["iss", "iat", "exp", "aud", "jti", "nbf", "client_id", "client_secret"];

/**
 * Returns the body that describes a client: what is registered, the members of its software
 * statement, and its id. Source: R-131…R-137.
 */
export function renderClient(client: {
  clientId: string;
  createdAt: Temporal.Instant;
  metadata: Record<string, unknown>;
}): Record<string, unknown> {
  const { clientId, createdAt, metadata } = client;
  return {
    ...statementMembers(metadata.software_statement),
    client_id: clientId,
    client_id_issued_at: Math.floor(createdAt.epochMilliseconds / 1000),
    ...metadata,
  };
}

function statementMembers(text: unknown): Record<string, unknown> {
  const read = typeof text === "string" ? readJws(text, "software statement") : "";
  if (typeof read === "string") return {};
  return Object.fromEntries(Object.entries(read.claims).filter(([name]) => !left.includes(name)));
}

const roleOfScope: Readonly<Record<string, string>> = {
  accounts: "AISP",
  payments: "PISP",
  fundsconfirmations: "CBPII",
};
const known = ["openid", ...Object.keys(roleOfScope)];
const longest = 256;

/** Every scope that needs a role. */
export const scopesWithRole: readonly string[] = Object.keys(roleOfScope);

/** The scopes that belong to roles. */
export const scopesOfRoles = (roles: readonly string[]): string[] =>
  Object.keys(roleOfScope).filter((scope) => roles.includes(roleOfScope[scope] ?? ""));

/** The scope to register, or the reason why none can be. */
type ScopeDecision = { scope: string; fault: null } | { scope: null; fault: RegistrationFault };

/**
 * Decides the scope of a client: what it asks for, as far as the statement's roles and the
 * competent authority allow it. Source.
 */
export function decideScope({ claims, statement }: RequestContext): ScopeDecision {
  const { scope } = claims;
  const words = typeof scope === "string" && scope.length <= longest ? scope.split(" ") : [];
  const isKnown = words.length > 0 && words.every((word) => known.includes(word));
  if (!isKnown || new Set(words).size < words.length) {
    const must = `contain only ${known.join(", ")}, each at most once, separated by spaces`;
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
  return { scope: words.join(" "), fault: null };

  function isAllowed(word: string): boolean {
    const role = roleOfScope[word] ?? "";
    return statement.roles.includes(role) && statement.authority.roles.includes(role);
  }
}

const refuse = (rule: string, description: string): ScopeDecision => ({
  scope: null,
  fault: fault(rule, "invalid_client_metadata", description),
});

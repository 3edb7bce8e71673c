import { securityProfileOf } from "#src/clients/security-profile.ts";
import { readJws } from "./compact-jws.ts";
import type { VerifiedRegistration } from "./verify-registration.ts";

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
}: Pick<VerifiedRegistration, "claims" | "statement" | "scope">): Record<string, unknown> {
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

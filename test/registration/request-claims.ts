import { randomUUID } from "node:crypto";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { signAny } from "./sign-any.ts";

/** Claims or header members to replace or, with undefined, to leave out. */
export type Changes = Record<string, unknown>;

/** Claims of a request as the official registration tool makes them. */
export function requestClaims(
  software: { softwareId: string; redirectUris: readonly string[] },
  { audience, statement }: { audience: string; statement: string },
): Changes {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: software.softwareId,
    aud: audience,
    iat: now,
    exp: now + 3600,
    jti: randomUUID(),
    redirect_uris: software.redirectUris,
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "PS256",
    grant_types: ["authorization_code", "client_credentials"],
    response_types: ["code id_token"],
    application_type: "web",
    scope: "openid accounts",
    id_token_signed_response_alg: "PS256",
    request_object_signing_alg: "PS256",
    software_statement: statement,
  };
}

/** A request of a TPP that the sandbox has created, to register its software once more. */
export const requestOf = (
  tpp: Pick<TppCredentials, "softwareId" | "redirectUris" | "signing">,
  given: { audience: string; statement: string },
  changes: Changes = {},
): Promise<string> =>
  signAny({ ...requestClaims(tpp, given), ...changes }, { kid: tpp.signing.kid }, tpp.signing);

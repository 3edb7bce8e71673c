import { type KeyObject, randomUUID } from "node:crypto";
import { SignJWT } from "jose";

/** Makes a token request that authenticates by `private_key_jwt` with the key `1`. */
export async function assertionForm(
  clientId: string,
  key: KeyObject,
  audience: string,
): Promise<Record<string, string>> {
  const assertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: "PS256", kid: "1" })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setExpirationTime("2 minutes")
    .sign(key);
  return {
    grant_type: "client_credentials",
    scope: "accounts",
    client_assertion: assertion,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
}

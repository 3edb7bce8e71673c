import assert from "node:assert/strict";
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, flattenedVerify } from "jose";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";

/** The bank's published keys, as a TPP has fetched them. */
export type Jwks = { keys: { kid: string; kty: string; x5c?: string[] }[] };

const options = {
  algorithms: ["PS256"],
  crit: Object.fromEntries(
    ["iat", "iss", "tan"].map((n) => [`http://openbanking.org.uk/${n}`, true]),
  ),
};

const keySet = (jwks: Jwks) => createLocalJWKSet(jwks as Parameters<typeof createLocalJWKSet>[0]);

/** Fetches the bank's keys. */
export async function fetchJwks(client: TppClient): Promise<Jwks> {
  const answer = await client.send(`${client.bank.publicUrl}/jwks`, "GET", undefined, {});
  assert.equal(answer.status, 200);
  return answer.body as Jwks;
}

/** Returns the ids of published keys, in order. */
export const kidsOf = ({ keys }: Jwks): string[] => keys.map(({ kid }) => kid);

/** Verifies the signature of a response with keys. Returns the id of the key that signed. */
export async function verifyAnswer(jwks: Jwks, { headers, raw }: Answer): Promise<string> {
  const [header = "", , signature = ""] = String(headers["x-jws-signature"]).split(".");
  const jws = { protected: header, payload: raw.toString("base64url"), signature };
  const { protectedHeader } = await flattenedVerify(jws, keySet(jwks), options);
  return String(protectedHeader?.kid);
}

/** Verifies a JWT of the bank with keys. Returns the id of the key that signed. */
export async function verifyJwt(jwks: Jwks, token: string | undefined | null): Promise<string> {
  assert.ok(token);
  const { protectedHeader } = await compactVerify(token, keySet(jwks), options);
  return String(protectedHeader.kid);
}

/** Returns the id of the key that a JWT names. */
export const kidOf = (token: string): string => String(decodeProtectedHeader(token).kid);

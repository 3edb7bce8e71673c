import { generateKeyPairSync, randomUUID } from "node:crypto";
import { importPKCS8, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { AuthBed } from "./auth-bed.ts";

export const profiles = ["sandbox", "production"] as const;
export type Profile = (typeof profiles)[number];
/** A bank of one profile, with two clients. */
export type Place = { bed: AuthBed; tpp: TppClient; other: TppClient; profile: Profile };
type SignJWTKey = Parameters<SignJWT["sign"]>[0];

/** A request that must fail, and the expected response. */
export type Wrong = {
  name: string;
  send(place: Place): Promise<Answer | string>;
  error: string;
  /** The expected text, for both profiles or for each. */
  says: RegExp | Record<Profile, RegExp>;
};

export const now = (): number => Math.floor(Date.now() / 1000);
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
export const foreignKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

export const credentials = { grant_type: "client_credentials", scope: "accounts" };
export const withAssertion = (assertion: string) => ({
  ...credentials,
  client_assertion: assertion,
  client_assertion_type: assertionType,
});
export const claimsOf = ({ tpp, bank }: TppClient, change: object = {}) => ({
  iss: tpp.clientId,
  sub: tpp.clientId,
  aud: bank.publicUrl,
  jti: randomUUID(),
  exp: now() + 120,
  ...change,
});
export const sign = (claims: JWTPayload, header: JWTHeaderParameters, key: SignJWTKey) =>
  new SignJWT(claims).setProtectedHeader(header).sign(key);
export const keyOf = ({ tpp }: TppClient) => importPKCS8(tpp.signing.privateKeyPem, "PS256");

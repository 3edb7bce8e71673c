import { constants, createSign, KeyObject } from "node:crypto";
import { type CryptoKey, FlattenedSign } from "jose";
import type { Clock } from "#src/lib/clock.ts";
import { DetachedInput } from "./detached-input.ts";

/** Names of the claims that Open Banking adds to a JOSE header. */
export const jwsClaims = {
  issuedAt: "http://openbanking.org.uk/iat",
  issuer: "http://openbanking.org.uk/iss",
  trustAnchor: "http://openbanking.org.uk/tan",
} as const;

/** The three members that `crit` must name. */
export const criticalClaims: readonly string[] = Object.values(jwsClaims);

/** The same, as jose must be told that they are understood. */
export const criticalOptions: Readonly<Record<string, boolean>> = Object.fromEntries(
  criticalClaims.map((name) => [name, true]),
);

/** Signs what the bank sends. */
export type MessageSigner = {
  /** The value of `x-jws-signature` over exactly these bytes. */
  sign(bytes: Uint8Array): Promise<string>;
  /** Signs bytes that come piece by piece, of a media type of their own. */
  signStream(contentType: string): StreamSigner;
};

/** Makes a signature while its bytes go by. */
export type StreamSigner = {
  update(bytes: Uint8Array): void;
  /** The value of `x-jws-signature` over all the bytes. */
  finish(): string;
};

/**
 * Makes the signer of the bank's messages: detached PS256, off the main thread. `clock` is the
 * machine's, whatever a sandbox's says: TPPs hold `iat` against theirs.
 * Source: P-026, P-027, message signing of the Read/Write profile.
 */
export function createMessageSigner(options: {
  key: CryptoKey;
  kid: string;
  organisationId: string;
  trustAnchor: string;
  clock: Clock;
}): MessageSigner {
  const { key, kid, organisationId, trustAnchor, clock } = options;
  const headerOf = (contentType: string) => ({
    alg: "PS256",
    kid,
    typ: "JOSE",
    cty: contentType,
    [jwsClaims.issuedAt]: Math.floor(clock.now().epochMilliseconds / 1000),
    [jwsClaims.issuer]: organisationId,
    [jwsClaims.trustAnchor]: trustAnchor,
    crit: [...criticalClaims],
  });
  return {
    async sign(bytes) {
      const signed = await new FlattenedSign(bytes)
        .setProtectedHeader(headerOf("application/json"))
        .sign(key, { crit: criticalOptions });
      return `${signed.protected}..${signed.signature}`;
    },
    signStream(contentType) {
      const header = Buffer.from(JSON.stringify(headerOf(contentType))).toString("base64url");
      const sign = createSign("sha256");
      const input = new DetachedInput(sign, header);
      return {
        update: (bytes) => input.update(bytes),
        finish() {
          input.end();
          const signature = sign.sign({
            key: KeyObject.from(key),
            padding: constants.RSA_PKCS1_PSS_PADDING,
            saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
          });
          return `${header}..${signature.toString("base64url")}`;
        },
      };
    },
  };
}

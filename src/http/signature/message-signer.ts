import { constants, createSign, type KeyObject, sign } from "node:crypto";
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

/** How an RSA key signs and verifies by PS256. Source: RFC 7518 section 3.5. */
export const ps256 = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
} as const;

/** Signs what the bank sends. */
export type MessageSigner = {
  /** The id of the key, as signatures name it. */
  kid: string;
  /** Returns the value of `x-jws-signature` for exactly these bytes. */
  sign(bytes: Uint8Array): Promise<string>;
  /** Returns claims as a JWT: a JWS in the compact form. Source: EV-29, RFC 8417 section 2.3. */
  signToken(claims: string): Promise<string>;
  /** Signs bytes that are written piece by piece, with their own media type. */
  signStream(contentType: string): StreamSigner;
};

/** Calculates a signature while its bytes are written. */
export type StreamSigner = {
  update(bytes: Uint8Array): void;
  /** Returns the value of `x-jws-signature` for all the bytes. */
  finish(): string;
};

/**
 * Makes the signer of the bank's messages: detached PS256, off the main thread. `clock` is the
 * machine's clock, not the sandbox's, because TPPs compare `iat` with their own clocks. Source:
 * P-026, P-027; Read/Write profile, Message Signing.
 */
export function createMessageSigner(options: {
  key: KeyObject;
  kid: string;
  organisationId: string;
  trustAnchor: string;
  clock: Clock;
}): MessageSigner {
  const signing = { key: options.key, ...ps256 };
  const signatureOf = async (input: string): Promise<string> => {
    const signature = await new Promise<Buffer>((resolve, reject) => {
      const done = (error: Error | null, made: Buffer) => (error ? reject(error) : resolve(made));
      sign("sha256", Buffer.from(input), signing, done);
    });
    return signature.toString("base64url");
  };
  return {
    kid: options.kid,
    async sign(bytes) {
      const header = encodeHeader(options, ofMessage("application/json"));
      const payload = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return `${header}..${await signatureOf(`${header}.${payload.toString("base64url")}`)}`;
    },
    async signToken(claims) {
      const input = `${encodeHeader(options, ofEvent)}.${Buffer.from(claims).toString("base64url")}`;
      return `${input}.${await signatureOf(input)}`;
    },
    signStream(contentType) {
      const header = encodeHeader(options, ofMessage(contentType));
      const sign = createSign("sha256");
      const input = new DetachedInput(sign, header);
      return {
        update: (bytes) => input.update(bytes),
        finish() {
          input.end();
          return `${header}..${sign.sign(signing).toString("base64url")}`;
        },
      };
    },
  };
}

type HeaderOptions = Omit<Parameters<typeof createMessageSigner>[0], "key">;

/** How the header says what is signed. */
type Signed = { typ: string; cty?: string };

const ofMessage = (contentType: string): Signed => ({ typ: "JOSE", cty: contentType });
const ofEvent: Signed = { typ: "secevent+jwt" };

function encodeHeader(options: HeaderOptions, signed: Signed): string {
  const header = {
    alg: "PS256",
    kid: options.kid,
    ...signed,
    [jwsClaims.issuedAt]: Math.floor(options.clock.now().epochMilliseconds / 1000),
    [jwsClaims.issuer]: options.organisationId,
    [jwsClaims.trustAnchor]: options.trustAnchor,
    crit: criticalClaims,
  };
  return Buffer.from(JSON.stringify(header)).toString("base64url");
}

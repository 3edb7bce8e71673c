import type { Clock } from "#src/lib/clock.ts";
import type { CurrentKey } from "./signer.ts";

/** A `Sign` or `Verify` of node:crypto, which hashes the input piece by piece. */
type Fed = { update(data: string | Uint8Array): unknown };

const noBytes = Buffer.alloc(0);

/**
 * The signing input of a detached JWS, piece by piece: protected header, a dot and base64url of the
 * payload. The payload is never in memory as a whole. Source: RFC 7515 section 5.1, appendix F.
 */
export class DetachedInput {
  readonly #fed: Fed;
  // only the base64url of a multiple of three bytes can be concatenated
  #rest: Buffer = noBytes;

  constructor(fed: Fed, protectedHeader: string) {
    this.#fed = fed;
    fed.update(`${protectedHeader}.`);
  }

  update(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const whole = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const end = whole.length - (whole.length % 3);
    if (end > 0) this.#fed.update(whole.subarray(0, end).toString("base64url"));
    // copied: the caller may reuse its buffer
    this.#rest = end === whole.length ? noBytes : Buffer.from(whole.subarray(end));
  }

  /** Adds the remaining bytes. No more may follow. */
  end(): void {
    if (this.#rest.length > 0) this.#fed.update(this.#rest.toString("base64url"));
    this.#rest = noBytes;
  }
}

/** Names of the claims that Open Banking adds to a JOSE header. */
export const jwsClaims = {
  issuedAt: "http://openbanking.org.uk/iat",
  issuer: "http://openbanking.org.uk/iss",
  trustAnchor: "http://openbanking.org.uk/tan",
} as const;

/** The three members that `crit` must name. */
export const criticalClaims: readonly string[] = Object.values(jwsClaims);

/** Signs what the bank sends, with the key that is current when the signature begins. */
export type MessageSigner = {
  /** Returns the value of `x-jws-signature` for exactly these bytes. */
  sign(bytes: Uint8Array): Promise<string>;
  /** Returns claims as a JWT: a JWS in the compact form. Source: EV-29, RFC 8417 section 2.3. */
  signToken(claims: string): Promise<string>;
  /** Signs bytes that are written piece by piece, with their own media type. */
  signStream(contentType: string): StreamSigner;
};

/** Calculates a signature while its bytes are written. */
type StreamSigner = {
  update(bytes: Uint8Array): void;
  /** Returns the value of `x-jws-signature` for all the bytes. */
  finish(): Promise<string>;
};

/**
 * Makes the signer of the bank's messages: detached PS256. `clock` is the machine's clock, not the
 * sandbox's, because TPPs compare `iat` with their own clocks. Source: P-026, P-027; Read/Write
 * profile, Message Signing.
 */
export function createMessageSigner(options: {
  currentKey: CurrentKey;
  organisationId: string;
  trustAnchor: string;
  clock: Clock;
}): MessageSigner {
  const { currentKey } = options;
  return {
    async sign(bytes) {
      const key = currentKey();
      const header = encodeHeader(key.kid, options, ofMessage("application/json"));
      const payload = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const input = Buffer.from(`${header}.${payload.toString("base64url")}`);
      return `${header}..${(await key.sign(input)).toString("base64url")}`;
    },
    async signToken(claims) {
      const key = currentKey();
      const header = encodeHeader(key.kid, options, ofEvent);
      const input = `${header}.${Buffer.from(claims).toString("base64url")}`;
      return `${input}.${(await key.sign(Buffer.from(input))).toString("base64url")}`;
    },
    signStream(contentType) {
      const key = currentKey();
      const header = encodeHeader(key.kid, options, ofMessage(contentType));
      const pieces = key.signPieces();
      const input = new DetachedInput(pieces, header);
      return {
        update: (bytes) => input.update(bytes),
        async finish() {
          input.end();
          return `${header}..${(await pieces.finish()).toString("base64url")}`;
        },
      };
    },
  };
}

type HeaderOptions = Omit<Parameters<typeof createMessageSigner>[0], "currentKey">;

/** How the header says what is signed. */
type Signed = { typ: string; cty?: string };

const ofMessage = (contentType: string): Signed => ({ typ: "JOSE", cty: contentType });
const ofEvent: Signed = { typ: "secevent+jwt" };

function encodeHeader(kid: string, options: HeaderOptions, signed: Signed): string {
  const header = {
    alg: "PS256",
    kid,
    ...signed,
    [jwsClaims.issuedAt]: Math.floor(options.clock.now().epochMilliseconds / 1000),
    [jwsClaims.issuer]: options.organisationId,
    [jwsClaims.trustAnchor]: options.trustAnchor,
    crit: criticalClaims,
  };
  return Buffer.from(JSON.stringify(header)).toString("base64url");
}

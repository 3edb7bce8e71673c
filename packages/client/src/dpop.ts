import { createHash, randomUUID } from "node:crypto";
import { type CryptoKey, exportJWK, SignJWT } from "jose";

/** A pair of keys that tokens are bound to. */
type ProofKeys = { privateKey: CryptoKey; publicKey: CryptoKey };

/** Proves with each call that the caller has the key of its token (RFC 9449). */
export class ProofMaker {
  readonly #keys: ProofKeys;
  readonly #now: () => Date;
  /** The latest nonce of each host, which its next proof must name. */
  readonly #nonces = new Map<string, string>();

  constructor(keys: ProofKeys, now: () => Date) {
    this.#keys = keys;
    this.#now = now;
  }

  /** Returns the proof for one call with an access token. */
  async prove(method: string, url: string, accessToken: string): Promise<string> {
    const { origin, pathname } = new URL(url);
    const nonce = this.#nonces.get(origin);
    const claims = {
      jti: randomUUID(),
      htm: method,
      htu: `${origin}${pathname}`,
      ath: createHash("sha256").update(accessToken).digest("base64url"),
      ...(nonce === undefined ? {} : { nonce }),
    };
    const jwk = await exportJWK(this.#keys.publicKey);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
      .setIssuedAt(Math.floor(this.#now().getTime() / 1000))
      .sign(this.#keys.privateKey);
  }

  /** Keeps the nonce of an answer. Returns whether the bank refused the call for lack of it. */
  learn(url: string, headers: Headers): boolean {
    const nonce = headers.get("dpop-nonce");
    if (nonce === null) return false;
    this.#nonces.set(new URL(url).origin, nonce);
    return headers.get("www-authenticate")?.includes("use_dpop_nonce") ?? false;
  }
}

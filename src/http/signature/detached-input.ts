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

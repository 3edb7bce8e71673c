/** What hashes as it is fed: a `Sign` or a `Verify` of node:crypto. */
type Fed = { update(data: string | Uint8Array): unknown };

const noBytes = Buffer.alloc(0);

/**
 * The signing input of a detached JWS, fed piece by piece: protected header, a dot and base64url
 * of the payload, which is never held as a whole. Source: RFC 7515 section 5.1, appendix F.
 */
export class DetachedInput {
  readonly #fed: Fed;
  // what three bytes are wanted for: base64url of a piece is a piece of base64url only then
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

  /** Feeds what is left; nothing may follow. */
  end(): void {
    if (this.#rest.length > 0) this.#fed.update(this.#rest.toString("base64url"));
    this.#rest = noBytes;
  }
}

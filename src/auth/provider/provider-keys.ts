import type { KeyObject } from "node:crypto";
import { present } from "#src/lib/assert.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { mostPublished } from "#src/signing/key-life.ts";
import type { KeyRing, RingKey } from "#src/signing/key-ring.ts";
import { ExternalSigningKey } from "./library.ts";
import { TemporarilyUnavailable } from "./temporarily-unavailable.ts";

/**
 * Makes the keys of the library. Its set of keys is fixed, so each of these is a place in the list
 * of published keys, and shows the key that is there now. The library signs with the first place,
 * and looks for the key of an `id_token_hint` in all of them.
 */
export const providerKeys = (ring: KeyRing): ExternalSigningKey[] =>
  Array.from({ length: mostPublished }, (_, index) => new Place(ring, index));

class Place extends ExternalSigningKey {
  readonly #ring: KeyRing;
  readonly #index: number;

  constructor(ring: KeyRing, index: number) {
    super();
    this.#ring = ring;
    this.#index = index;
  }

  get #key(): RingKey | undefined {
    return this.#ring.published()[this.#index];
  }

  override get kid(): string {
    return this.#key?.kid ?? `unused place ${this.#index}`;
  }

  override get alg(): "PS256" {
    return "PS256";
  }

  override get kty(): "RSA" {
    return "RSA";
  }

  // the library checks when it starts that there is text
  override get e(): string {
    return this.#key?.jwk.e ?? "unused";
  }

  override get n(): string {
    return this.#key?.jwk.n ?? "unused";
  }

  // the library would read what only other kinds of keys have from the key itself
  override get crv(): undefined {
    return undefined;
  }

  override get x(): undefined {
    return undefined;
  }

  override get y(): undefined {
    return undefined;
  }

  override get pub(): undefined {
    return undefined;
  }

  override keyObject(): KeyObject {
    return present(this.#key, "the key that the library has found").publicKey;
  }

  // The key may have changed since the library has written the header: the header decides.
  override async sign(data: Uint8Array): Promise<Uint8Array> {
    try {
      const kid = kidOf(data);
      const current = this.#ring.current();
      const signer = current.kid === kid ? current : this.#ring.find(kid)?.signer;
      return await present(signer, "the signer of a published key").sign(data);
    } catch (error) {
      const unavailable = unavailableOf(error);
      throw unavailable ? new TemporarilyUnavailable(unavailable) : error;
    }
  }
}

/** Returns the id of the key in the header of a signing input. */
function kidOf(data: Uint8Array): string {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
  const header = Buffer.from(text.slice(0, text.indexOf(".")), "base64url").toString();
  return (JSON.parse(header) as { kid: string }).kid; // the library has just written it
}

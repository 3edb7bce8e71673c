import type { KeyObject } from "node:crypto";
import type { Signer, SigningKey } from "#src/http/signature/signer.ts";
import { assert } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { candidates, isPublished, type KeyDates, nextChange } from "./key-life.ts";
import type { PublicJwk } from "./public-jwk.ts";

/** One of the bank's signing keys in this process. */
export type RingKey = KeyDates & {
  kid: string;
  /** The public half, as the bank publishes it. */
  jwk: PublicJwk;
  publicKey: KeyObject;
  /** Null if this process cannot use the private half. */
  signer: Signer | null;
  /** Returns the key's newest certificate and those of its issuers, as PEM text. */
  certificatesPem(): string;
};

/** The keys with which the bank signs, and those that verify its signatures. */
export type KeyRing = {
  /** Returns the key that signs now. Throws Unavailable if this process has none. */
  current(): SigningKey;
  /** Whether this process has a key that signs now. */
  canSign(): boolean;
  /** Returns the published keys: the current key first. */
  published(): readonly RingKey[];
  /** Returns the published key with that id. */
  find(kid: string): RingKey | undefined;
};

/** A key ring whose keys can be replaced while the bank runs. */
export type LiveKeyRing = KeyRing & {
  /** All keys, in every state. */
  readonly keys: readonly RingKey[];
  replace(keys: readonly RingKey[]): void;
};

/** The answer to every question, from one change of a state until the next. */
type KeySelection = {
  from: number;
  until: number;
  current: SigningKey | null;
  published: readonly RingKey[];
};

/**
 * Makes a ring. The dates of its keys decide which key signs, so all processes change keys at the
 * same time. `clock` is the machine's clock: TPPs and certificates use real time too. If this
 * process cannot use the newest key, it signs with the one before, as long as that is published.
 */
export function createKeyRing(clock: Clock, first: readonly RingKey[] = []): LiveKeyRing {
  let keys = first;
  let selection: KeySelection | null = null;
  const look = (): KeySelection => {
    const now = clock.now().epochMilliseconds;
    if (!selection || now < selection.from || now >= selection.until) selection = select(keys, now);
    return selection;
  };
  return {
    get keys() {
      return keys;
    },
    replace(next) {
      keys = next;
      selection = null;
    },
    current() {
      const { current } = look();
      if (current) return current;
      throw new Unavailable("signer", "this process cannot use a signing key of the bank", {});
    },
    canSign: () => look().current !== null,
    published: () => look().published,
    find: (kid) => look().published.find((key) => key.kid === kid),
  };
}

function select(keys: readonly RingKey[], now: number): KeySelection {
  const usable = candidates(keys, now).find(({ signer }) => signer !== null);
  const others = keys.filter((key) => key !== usable && isPublished(key, now));
  const signer = usable?.signer ?? null;
  assert(!usable || signer, "the key that signs has a signer");
  return {
    from: now,
    until: nextChange(keys, now),
    current: usable && signer ? { kid: usable.kid, ...signer } : null,
    published: usable ? [usable, ...others] : others,
  };
}

import { candidates, isPublished, type KeyDates, mostPublished, stateOf } from "./key-life.ts";

/** A change of keys that the bank refuses. The message is for its operator. */
export class KeyRefused extends Error {}

/** The periods of the life of a key, in milliseconds. */
export type KeyPeriods = {
  /** How long a key is published before the bank signs with it. */
  leadMs: number;
  /** How long a key is published after another key has replaced it. */
  retiredMs: number;
  /** The time in which every process learns of a change. */
  settleMs: number;
};

/** A key in a plan: dates and id. */
type PlannedKey = KeyDates & { kid: string };

/** What the operator asks for: a key, and the time of its first signature. */
export type RotationRequest = {
  /** Default: the key that is already planned, or else the oldest one on standby. */
  kid?: string | undefined;
  /** The time of the first signature, in milliseconds. */
  at?: number | undefined;
  /** Uses the key as soon as every process knows it, however long TPPs could know it. */
  isEmergency: boolean;
};

const text = (ms: number): string => new Date(ms).toISOString();

/** Checks that another key may be published. Throws KeyRefused. */
export function checkAddition(keys: readonly PlannedKey[], kid: string, now: number): void {
  if (keys.some((key) => key.kid === kid)) {
    throw new KeyRefused(
      `The key ${kid} is or was one of the bank's signing keys. Each key can be added once.`,
    );
  }
  if (keys.filter((key) => isPublished(key, now)).length >= mostPublished) {
    throw new KeyRefused(
      `The bank publishes at most ${mostPublished} keys. Retire a key that is no longer needed.`,
    );
  }
}

/** Plans the change to another key. Returns the keys with new dates. Throws KeyRefused. */
export function planRotation<Key extends PlannedKey>(
  keys: readonly Key[],
  request: RotationRequest,
  now: number,
  periods: KeyPeriods,
): Key[] {
  const next = chooseNext(keys, request.kid, now);
  const soonest = next.publishedFrom + periods.leadMs;
  const settled = now + periods.settleMs;
  const at = request.at ?? (request.isEmergency ? settled : Math.max(soonest, settled));
  if (at < settled) {
    throw new KeyRefused(
      `Every process needs ${periods.settleMs / 1000} seconds to learn of the change: ` +
        `the key can sign from ${text(settled)}.`,
    );
  }
  if (at < soonest && !request.isEmergency) {
    throw new KeyRefused(
      `TPPs may not know the key ${next.kid} before ${text(soonest)}. Choose that time or a later ` +
        "one. In an emergency, use --now. TPPs whose copy of the JWKS is older than the key then " +
        "refuse the bank's signatures until they fetch the JWKS again.",
    );
  }
  const replaced = keys
    .filter(({ withdrawnAt, activeFrom, kid }) => {
      const isOlder = withdrawnAt === null && activeFrom !== null && activeFrom < at;
      return isOlder && kid !== next.kid;
    })
    .sort((one, other) => (other.activeFrom ?? 0) - (one.activeFrom ?? 0))[0];
  return [
    { ...next, activeFrom: at },
    ...(replaced ? [{ ...replaced, publishedUntil: at + periods.retiredMs }] : []),
  ];
}

function chooseNext<Key extends PlannedKey>(
  keys: readonly Key[],
  kid: string | undefined,
  now: number,
): Key {
  const planned = keys.find((key) => stateOf(key, keys, now) === "next");
  const standby = keys
    .filter((key) => stateOf(key, keys, now) === "standby")
    .sort((one, other) => one.publishedFrom - other.publishedFrom);
  const chosen = kid === undefined ? (planned ?? standby[0]) : keyNamed(keys, kid);
  if (!chosen) {
    throw new KeyRefused("There is no next key. Add one first: ./aldgate keys add LOCATION");
  }
  if (planned && planned !== chosen) {
    throw new KeyRefused(
      `The key ${planned.kid} is planned to sign from ${text(planned.activeFrom ?? now)}. Retire ` +
        "it first, or run the command without a key to change its date.",
    );
  }
  if (chosen === planned || standby.includes(chosen)) return chosen;
  throw new KeyRefused(
    `The key ${chosen.kid} is ${stateOf(chosen, keys, now)}. Only a key on standby can be next.`,
  );
}

/**
 * Plans the end of a key that does not sign. A retired key is no longer published from `until` on.
 * A key that has never signed is no longer published immediately. Throws KeyRefused.
 */
export function planRetirement<Key extends PlannedKey>(
  keys: readonly Key[],
  { kid, until }: { kid: string; until?: number | undefined },
  now: number,
  periods: KeyPeriods,
): Key[] {
  const key = keyNamed(keys, kid);
  const state = stateOf(key, keys, now);
  if (state === "current") {
    throw new KeyRefused(
      `The bank signs with the key ${kid}. First let another key replace it: ./aldgate keys rotate`,
    );
  }
  if (state === "ended" || state === "withdrawn") {
    throw new KeyRefused(`The key ${kid} is ${state}: the bank no longer publishes it.`);
  }
  if (state === "retired") return [{ ...key, publishedUntil: Math.max(until ?? now, now) }];
  if (state === "next" && (key.activeFrom ?? now) - now < periods.settleMs) {
    throw new KeyRefused(
      `The key ${kid} begins to sign within seconds. Let another one replace it.`,
    );
  }
  const ended = { ...key, activeFrom: null, publishedUntil: now };
  const [current] = candidates(keys, now);
  // no key replaces the current one for now
  return [ended, ...(state === "next" && current ? [{ ...current, publishedUntil: null }] : [])];
}

/**
 * Plans the withdrawal of a key, for example because it leaked: it is no longer published. If it
 * signs, the next key replaces it now, or else the oldest key on standby. Throws KeyRefused.
 */
export function planWithdrawal<Key extends PlannedKey>(
  keys: readonly Key[],
  kid: string,
  now: number,
): Key[] {
  const key = keyNamed(keys, kid);
  const state = stateOf(key, keys, now);
  if (state === "withdrawn") throw new KeyRefused(`The key ${kid} is withdrawn already.`);
  const withdrawn = { ...key, withdrawnAt: now };
  if (state !== "current") {
    const [current] = candidates(keys, now);
    const isNext = state === "next" && current;
    return [withdrawn, ...(isNext ? [{ ...current, publishedUntil: null }] : [])];
  }
  const successor =
    keys.find((one) => stateOf(one, keys, now) === "next") ??
    keys
      .filter((one) => stateOf(one, keys, now) === "standby")
      .sort((one, other) => one.publishedFrom - other.publishedFrom)[0];
  if (!successor) {
    throw new KeyRefused(
      `The bank signs with the key ${kid}, and no other key can replace it. Add one first: ` +
        "./aldgate keys add LOCATION",
    );
  }
  return [withdrawn, { ...successor, activeFrom: now }];
}

function keyNamed<Key extends PlannedKey>(keys: readonly Key[], kid: string): Key {
  const key = keys.find((one) => one.kid === kid);
  if (key) return key;
  throw new KeyRefused(`There is no key ${kid}. \`./aldgate keys list\` lists the keys.`);
}

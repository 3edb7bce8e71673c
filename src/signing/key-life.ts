/** The dates of a signing key, in milliseconds since 1970 by the machine's clock. */
export type KeyDates = {
  /** Since when the bank publishes the key. */
  publishedFrom: number;
  /** From when the bank signs with the key; null until a date is set. */
  activeFrom: number | null;
  /** When the bank stops publishing the key; null as long as no other key replaces it. */
  publishedUntil: number | null;
  /** When the key was withdrawn, for example because it leaked; null if it was not. */
  withdrawnAt: number | null;
};

/**
 * The state of a key. `standby`: published, without a date. `next`: published, and the date is in
 * the future. `current`: signs. `retired`: published for the signatures that it has made. `ended`:
 * no longer published. `withdrawn`: no longer published, because it must not be trusted.
 */
export type KeyState = "standby" | "next" | "current" | "retired" | "ended" | "withdrawn";

/** Whether the bank publishes the key. */
export const isPublished = (key: KeyDates, now: number): boolean =>
  key.withdrawnAt === null &&
  key.publishedFrom <= now &&
  (key.publishedUntil === null || now < key.publishedUntil);

/** Whether the bank could sign with the key: it is published, and its date has come. */
const hasBegun = (key: KeyDates, now: number): boolean =>
  isPublished(key, now) && key.activeFrom !== null && key.activeFrom <= now;

/** Sorts keys that have begun: the newest first. */
const newestFirst = (one: KeyDates, other: KeyDates): number =>
  (other.activeFrom ?? 0) - (one.activeFrom ?? 0);

/** Returns the keys with which the bank could sign, in order of preference. */
export const candidates = <Key extends KeyDates>(keys: readonly Key[], now: number): Key[] =>
  keys.filter((key) => hasBegun(key, now)).sort(newestFirst);

/** Returns the state of one of the bank's keys. */
export function stateOf<Key extends KeyDates>(
  key: Key,
  keys: readonly Key[],
  now: number,
): KeyState {
  if (key.withdrawnAt !== null) return "withdrawn";
  if (!isPublished(key, now)) return "ended";
  if (key.activeFrom === null) return "standby";
  if (key.activeFrom > now) return "next";
  return candidates(keys, now)[0] === key ? "current" : "retired";
}

/** Returns the next moment after `now` at which a state may change; infinity if there is none. */
export const nextChange = (keys: readonly KeyDates[], now: number): number =>
  Math.min(
    ...keys
      .flatMap(({ publishedFrom, activeFrom, publishedUntil }) => [
        publishedFrom,
        activeFrom ?? now,
        publishedUntil ?? now,
      ])
      .filter((moment) => moment > now),
  );

/** The most keys that the bank publishes at the same time. */
export const mostPublished = 8;

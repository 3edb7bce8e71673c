/** Limits of the values that `keepRecent` keeps. */
type RecentLimits = {
  /** The maximum number of values. When there are more, the oldest one is dropped. */
  values: number;
  /** The maximum length of a text. The value of a longer text is made at each call. */
  textLength: number;
};

/**
 * Returns a function that makes a value from a text, and keeps the values of recent texts. Callers
 * with the same text share one value, so the value is frozen.
 */
export function keepRecent<Value extends string | object>(
  limits: RecentLimits,
  make: (text: string) => Value,
): (text: string) => Value {
  const kept = new Map<string, Value>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const value = frozen(make(text));
    if (text.length > limits.textLength) return value;
    makeRoom(kept, limits.values);
    kept.set(text, value);
    return value;
  };
}

/** Freezes a value and everything in it. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** Values that one request leaves for the next one, which takes them. */
type Handover<Value> = {
  give(key: string, value: Value): void;
  /** Returns and removes the value of a key, or undefined if it is missing or too old. */
  take(key: string): Value | undefined;
};

/** Limits of a handover. */
type HandoverLimits = {
  /** The age up to which a value can be taken. */
  milliseconds: number;
  /** The maximum number of values. When there are more, the oldest one is dropped. */
  values: number;
  /** The time in milliseconds; only differences count. */
  clock?: () => number;
};

/** Makes a handover between requests of this process. */
export function createHandover<Value>({
  milliseconds,
  values,
  clock = () => performance.now(),
}: HandoverLimits): Handover<Value> {
  const given = new Map<string, { value: Value; until: number }>();
  return {
    give(key, value) {
      given.delete(key);
      makeRoom(given, values);
      given.set(key, { value, until: clock() + milliseconds });
    },
    take(key) {
      const found = given.get(key);
      given.delete(key);
      return found && found.until > clock() ? found.value : undefined;
    },
  };
}

/** Drops the oldest value if there is no room for another one. */
function makeRoom(kept: Map<string, unknown>, values: number): void {
  if (kept.size < values) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}

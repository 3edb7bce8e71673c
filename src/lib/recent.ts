/** The bounds of what `keepRecent` keeps. */
export type RecentLimits = {
  /** The number of values; the oldest one is dropped. */
  values: number;
  /** The length of a text; the value of a longer one is made at each call. */
  textLength: number;
};

/**
 * Returns a function that makes a value from a text, and keeps the values of recent texts. All
 * callers with the same text share one value, so it is frozen.
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
    if (kept.size >= limits.values) {
      for (const oldest of kept.keys()) {
        kept.delete(oldest);
        break;
      }
    }
    kept.set(text, value);
    return value;
  };
}

/** Freezes a value with all that it contains. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

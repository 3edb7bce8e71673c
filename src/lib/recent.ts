/** Limits of the values that `keepRecent` keeps. */
export type RecentLimits = {
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

/** Freezes a value and everything in it. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

// How the second bank's two sides write the port's values as JSON. Nothing is imported from the
// product: a bank's own core would not do so either.

type Tagged = { $bigint: string } | { $instant: string } | { $map: [string, unknown][] };

/** Writes a value of the port as JSON text. */
export function encode(value: unknown): string {
  return JSON.stringify(value, function replace(this: Record<string, unknown>, key, plain) {
    const found = this[key];
    if (typeof found === "bigint") return { $bigint: found.toString() };
    if (found instanceof Temporal.Instant) return { $instant: found.toString() };
    if (found instanceof Map) return { $map: [...found] };
    return plain;
  });
}

/** Reads what `encode` has written. */
export function decode(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (value === null || typeof value !== "object") return value;
    const tagged = value as Tagged;
    if ("$bigint" in tagged) return BigInt(tagged.$bigint);
    if ("$instant" in tagged) return Temporal.Instant.from(tagged.$instant);
    if ("$map" in tagged) return new Map(tagged.$map);
    return value;
  });
}

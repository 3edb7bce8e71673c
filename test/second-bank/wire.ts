// The JSON format of the port's values between the second bank's two sides. It imports nothing from
// the product, because a bank's own core would not either.

type Tagged =
  | { $bigint: string }
  | { $instant: string }
  | { $map: [string, unknown][] }
  | { $bytes: string };

/** Encodes a value of the port as JSON text. */
export function encode(value: unknown): string {
  return JSON.stringify(value, function replace(this: Record<string, unknown>, key, plain) {
    const found = this[key];
    if (typeof found === "bigint") return { $bigint: found.toString() };
    if (found instanceof Temporal.Instant) return { $instant: found.toString() };
    if (found instanceof Uint8Array) return { $bytes: Buffer.from(found).toString("base64") };
    if (found instanceof Map) return { $map: [...found] };
    return plain;
  });
}

/** Decodes the text of `encode`. */
export function decode(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (value === null || typeof value !== "object") return value;
    const tagged = value as Tagged;
    if ("$bigint" in tagged) return BigInt(tagged.$bigint);
    if ("$instant" in tagged) return Temporal.Instant.from(tagged.$instant);
    if ("$bytes" in tagged) return Buffer.from(tagged.$bytes, "base64");
    if ("$map" in tagged) return new Map(tagged.$map);
    return value;
  });
}

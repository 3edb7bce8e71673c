/** Converts a value to what both drivers send: Temporal values and bigint as text. */
export function toParameter(value: unknown): unknown {
  if (typeof value === "string") return value;
  if (value === undefined) return null;
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Temporal.Instant || value instanceof Temporal.PlainDate) {
    return value.toString();
  }
  if (Array.isArray(value)) return value.map(toParameter);
  return value;
}

/** Parsers of result columns by PostgreSQL type oid, from the server's text form. */
export const columnParsers: Record<number, (text: string) => unknown> = {
  20: (text) => BigInt(text), // int8
  1082: (text) => Temporal.PlainDate.from(text), // date
  1184: (text) => Temporal.Instant.from(text), // timestamptz
  1700: (text) => text, // numeric
};

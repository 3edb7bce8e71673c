/** Throws if something that the code guarantees is not true. That is a bug, never invalid input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Returns the value, or throws when it is null or undefined: for what the code guarantees. */
export function present<T>(value: T | null | undefined, what: string): T {
  assert(value !== null && value !== undefined, `${what} is present`);
  return value;
}

/** Whether a value of unknown type is an object of members: neither a list nor null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

import { fingerprint } from "#src/http/idempotency.ts";
import { parseDateTime, toInstant } from "#src/lib/date-time.ts";

// Names of the members that hold a date-time, in every kind's initiation.
const dateMember = /(DateTime|^Date|^RelatedDate)$/;

function instantOf(name: string, value: unknown): Temporal.Instant | null {
  if (typeof value !== "string" || !dateMember.test(name)) return null;
  const parsed = parseDateTime(value);
  return parsed && toInstant(parsed);
}

/**
 * The path of the first member in which what is submitted differs from what was consented to, or
 * null when they agree. Values and types are compared exactly and arrays in their order; only
 * date-times are equal when they name the same instant. Source: P-152…P-158, D-401-30.
 */
export function firstDifference(
  consented: unknown,
  submitted: unknown,
  path: string,
): string | null {
  if (Array.isArray(consented) && Array.isArray(submitted)) {
    const length = Math.max(consented.length, submitted.length);
    for (let index = 0; index < length; index++) {
      const found = firstDifference(consented[index], submitted[index], `${path}[${index}]`);
      if (found !== null) return found;
    }
    return null;
  }
  if (isObject(consented) && isObject(submitted)) {
    for (const name of new Set([...Object.keys(consented), ...Object.keys(submitted)])) {
      const found = memberDifference(consented, submitted, name, path);
      if (found !== null) return found;
    }
    return null;
  }
  return consented === submitted ? null : path;
}

function memberDifference(
  consented: Record<string, unknown>,
  submitted: Record<string, unknown>,
  name: string,
  path: string,
): string | null {
  const at = `${path}.${name}`;
  // own members only: a member called `constructor` is one that the TPP sent
  if (!Object.hasOwn(consented, name) || !Object.hasOwn(submitted, name)) return at;
  const left = instantOf(name, consented[name]);
  const right = left && instantOf(name, submitted[name]);
  if (left && right) return left.equals(right) ? null : at;
  return firstDifference(consented[name], submitted[name], at);
}

/**
 * A hash that two bodies share when they ask for the same: key order, white space, the spelling of
 * an instant and zeros at the end of an amount's decimals do not count. Source: P-049, D-401-10.
 */
export const requestFingerprint = (body: unknown): string => fingerprint(normalise("", body));

function normalise(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => normalise(name, item));
  if (isObject(value)) {
    // entries, not assignment: `__proto__` may be a member
    return Object.fromEntries(
      Object.entries(value).map(([member, item]) => [member, normalise(member, item)]),
    );
  }
  const instant = instantOf(name, value);
  if (instant) return instant.toString();
  if (name === "Amount" && typeof value === "string" && /^\d+\.\d+$/.test(value)) {
    return value.replace(/\.?0+$/, "");
  }
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

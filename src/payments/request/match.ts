import type { Fault } from "#src/http/api-error.ts";
import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import { fingerprint } from "#src/http/headers/request-headers.ts";
import { isObject } from "#src/lib/assert.ts";
import { parseDateTime, toInstant } from "#src/lib/date-time.ts";
import type { PropertyWords } from "#src/standard/descriptions/property-words.ts";
import { valueAt } from "./read-request.ts";
import { dateMember } from "./written-dates.ts";

function instantOf(name: string, value: unknown): Temporal.Instant | null {
  if (typeof value !== "string" || !dateMember.test(name)) return null;
  const parsed = parseDateTime(value);
  return parsed && toInstant(parsed);
}

/** A member in which an order differs from its consent; a value is undefined if it is absent. */
export type Difference = { path: string; consented: unknown; submitted: unknown };

/**
 * Returns the first member in which an order differs from its consent, among the parts that it must
 * repeat; null if there is none. Source: P-152…P-158.
 */
export function firstDifferenceAt(
  parts: readonly string[],
  consented: unknown,
  submitted: unknown,
): Difference | null {
  for (const path of parts) {
    const found = firstDifference(valueAt(consented, path), valueAt(submitted, path), path);
    if (found !== null) return found;
  }
  return null;
}

/** A part of a consent that its order repeats in another place. */
export type RepeatedPart = {
  consented: string;
  ordered: string;
  /** The order may add members that the consent leaves out or gives as an empty list. */
  isOpen?: boolean;
};

/**
 * Returns the first member, by its path in an order, in which the order differs from the parts of
 * its consent that it repeats in another place; null if there is none. Parts that the consent does
 * not have are free. Source: V-101, V-102, V-104, V-105.
 */
export function firstDifferenceElsewhere(
  parts: readonly RepeatedPart[],
  consent: unknown,
  order: unknown,
): Difference | null {
  for (const { consented, ordered, isOpen = false } of parts) {
    const agreed = valueAt(consent, consented);
    const names = isOpen && isObject(agreed) ? namesIn(agreed) : null;
    if (agreed === undefined || names?.length === 0) continue;
    const given = valueAt(order, ordered);
    const found = firstDifference(limitTo(names, agreed), limitTo(names, given), ordered);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the names of an object's members without those of empty lists. */
const namesIn = (value: Record<string, unknown>): string[] =>
  Object.keys(value).filter((name) => !isEmptyList(value[name]));

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Returns an object with the members of these names; any other value as it is. */
const limitTo = (names: string[] | null, value: unknown): unknown =>
  names !== null && isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
    : value;

/**
 * Returns the first member in which two values differ; null if they are equal. Values and types are
 * compared exactly, and arrays in order. Only date-times are equal if they are the same instant.
 * Source: P-152…P-158, D-401-30.
 */
export function firstDifference(
  consented: unknown,
  submitted: unknown,
  path: string,
): Difference | null {
  const found = difference(consented, submitted);
  return found && { ...found, path: path + found.path };
}

/**
 * The difference, with its path below the values: `.Amount.Currency`, `[0].Name`, or empty for the
 * values themselves.
 */
function difference(consented: unknown, submitted: unknown): Difference | null {
  if (Array.isArray(consented) && Array.isArray(submitted)) {
    const length = Math.max(consented.length, submitted.length);
    for (let index = 0; index < length; index++) {
      const found = difference(consented[index], submitted[index]);
      if (found !== null) return { ...found, path: `[${index}]${found.path}` };
    }
    return null;
  }
  if (!isObject(consented) || !isObject(submitted)) {
    return consented === submitted ? null : { path: "", consented, submitted };
  }
  for (const name of Object.keys(consented)) {
    const found = memberDifference(consented, submitted, name);
    if (found !== null) return { ...found, path: `.${name}${found.path}` };
  }
  // own members only: a TPP may send a member called `constructor`
  const added = Object.keys(submitted).find((name) => !Object.hasOwn(consented, name));
  if (added === undefined) return null;
  return { path: `.${added}`, consented: undefined, submitted: submitted[added] };
}

function memberDifference(
  consented: Record<string, unknown>,
  submitted: Record<string, unknown>,
  name: string,
): Difference | null {
  const whole = { path: "", consented: consented[name], submitted: undefined };
  if (!Object.hasOwn(submitted, name)) return whole;
  const left = instantOf(name, consented[name]);
  const right = left && instantOf(name, submitted[name]);
  if (left && right) return left.equals(right) ? null : { ...whole, submitted: submitted[name] };
  return difference(consented[name], submitted[name]);
}

/**
 * Returns a hash that is equal for bodies that request the same. Member order, white space, the
 * notation of an instant and zeros at the end of an amount's decimals do not count. Source: P-049,
 * D-401-10.
 */
export const requestFingerprint = (body: unknown): string => fingerprint(body, normalise);

/** The faults of a body, and its fingerprint, which only a body without faults has. */
export type JudgedRequest = { faults: Fault[]; fingerprint: string | null };

/**
 * Checks a body against its schema, and takes its fingerprint if it has no faults. A body that its
 * schema refuses is not worth the work, and no key is ever bound to it.
 */
export function judgeRequest(
  schema: CompiledSchema,
  body: unknown,
  words?: () => PropertyWords,
): JudgedRequest {
  const faults = judge(schema, body, words);
  return { faults, fingerprint: faults.length === 0 ? requestFingerprint(body) : null };
}

function normalise(name: string, value: unknown): unknown {
  const instant = instantOf(name, value);
  if (instant) return instant.toString();
  const isAmount = name === "Amount" && typeof value === "string" && /^\d+\.\d+$/.test(value);
  return isAmount ? withoutLastZeros(value) : value;
}

/** Removes the zeros at the end of an amount's decimals, and a point that has none left. */
function withoutLastZeros(amount: string): string {
  let end = amount.length;
  while (amount[end - 1] === "0") end -= 1;
  return amount.slice(0, amount[end - 1] === "." ? end - 1 : end);
}

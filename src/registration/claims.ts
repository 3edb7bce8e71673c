import { constants, type KeyObject, verify } from "node:crypto";
import type { Algorithm } from "#src/clients/client-keys.ts";
import { findUnstorable } from "#src/http/hostile-text.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import { ownNames } from "#src/http/outgoing/address-guard.ts";
import { millisecondsText } from "#src/lib/date-time.ts";
import { fault, type RegistrationError, type RegistrationFault, shown } from "./fault.ts";

/** A signed JWT that has been read; its signature is not yet verified. */
export type CompactJws = {
  text: string;
  header: Readonly<Record<string, unknown>>;
  claims: Readonly<Record<string, unknown>>;
};

const base64url = /^[A-Za-z0-9_-]+$/;

class Unreadable extends Error {}

/** Reads a JWS in compact form. If it cannot be read, returns a sentence with the reason. */
export function readJws(text: string, noun: string): CompactJws | string {
  const parts = text.split(".");
  const isCompact =
    parts.length === 3 && parts.every((part) => base64url.test(part) && part.length % 4 !== 1);
  if (!isCompact) {
    return (
      `The ${noun} must be a signed JWT in compact form: header, payload and signature in ` +
      "base64url, joined by dots."
    );
  }
  try {
    const [header, claims] = parts.slice(0, 2).map((part, index) => {
      const what = `The ${index === 0 ? "header" : "payload"} of the ${noun}`;
      const value = parseJsonObject(
        Buffer.from(part, "base64url"),
        (why) => new Unreadable(`${what} ${why}.`),
      );
      if (findUnstorable(value) !== null) {
        throw new Unreadable(`${what} must not contain NUL or unpaired surrogates.`);
      }
      return value;
    });
    return { text, header: header ?? {}, claims: claims ?? {} };
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

const saltBytes = 32;

/** Whether a key verifies the signature of a JWS. */
export function isSignedBy(jws: CompactJws, key: KeyObject, algorithm: Algorithm): boolean {
  const end = jws.text.lastIndexOf(".");
  const signed = Buffer.from(jws.text.slice(0, end));
  const signature = Buffer.from(jws.text.slice(end + 1), "base64url");
  const form =
    algorithm === "PS256"
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltBytes }
      : ({ key, dsaEncoding: "ieee-p1363" } as const);
  return verify("sha256", signed, form, signature);
}

/** The claims of a JWT by name; nothing is known about their values. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * A rule about one claim: a row of a table. `check` returns what the claim must be, as the rest of
 * a sentence that begins "claim must"; null if the claim is right.
 */
export type ClaimRow<Context> = {
  rule: string;
  claim: string;
  error: RegistrationError;
  check(value: unknown, context: Context): string | null;
};

/** Returns the faults that the rows of a table find, in the order of the table. */
export const faultsOf = <Context extends { claims: Claims }>(
  rows: readonly ClaimRow<Context>[],
  context: Context,
): RegistrationFault[] =>
  rows.flatMap((row) => {
    const found = claimFault(row, context.claims[row.claim], context);
    return found === null ? [] : [found];
  });

const times: ReadonlySet<string> = new Set(["exp", "iat", "nbf"]);

function claimFault<Context>(
  { rule, claim, error, check }: ClaimRow<Context>,
  value: unknown,
  context: Context,
): RegistrationFault | null {
  const must = check(value, context);
  if (must === null) return null;
  const date = times.has(claim) ? dateText(value) : null;
  return fault(
    rule,
    error,
    `${claim} is ${shown(value)}${date ? ` (${date})` : ""}; it must ${must}.`,
  );
}

/** What a date of a JWT means; null if it is not a date. */
const dateText = (value: unknown): string | null =>
  isSeconds(value) ? secondsText(value) : millisecondsText(value);

/** Returns the expectation if it is not met; null if it is. */
export const unless = (holds: boolean, must: string): string | null => (holds ? null : must);

/** Whether a value is a string of 1 to `most` characters. */
export const isText = (value: unknown, most: number): value is string =>
  typeof value === "string" && value !== "" && value.length <= most;

/** Whether a value is a list of distinct strings. */
export const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === "string") &&
  new Set(value).size === value.length;

/** Whether a value is a whole number of seconds since 1970 that fits a date. */
export const isSeconds = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < 1e11;

/** Seconds since 1970 as text. */
export const secondsText = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toString();

/**
 * Whether a redirect URI may be registered. A sandbox also accepts a program on the developer's own
 * machine, with http. Source: R-049.
 */
export function isRedirectUri(value: string, { isProduction }: { isProduction: boolean }): boolean {
  if (!isText(value, 256) || value.includes("#") || !/^[\x21-\x7e]+$/.test(value)) return false;
  const url = URL.parse(value);
  if (url?.username !== "" || url.password !== "") return false;
  const { hostname, protocol } = url;
  if (!isProduction && ownNames.includes(hostname)) return /^https?:$/.test(protocol);
  return protocol === "https:" && !isLocal(hostname);
}

function isLocal(hostname: string): boolean {
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  return name.startsWith("127.") || name === "[::1]" || name === "0.0.0.0";
}

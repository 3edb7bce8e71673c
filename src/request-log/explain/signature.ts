import { createHash, type KeyObject, verify } from "node:crypto";
import { ApiError, type Fault } from "#src/http/api-error.ts";
import {
  judgeClaims,
  lostLines,
  matches,
  type ReadSignature,
  readDetached,
  type SignatureExpectation,
} from "#src/http/signature/jws.ts";
import { type OtherForm, otherForms } from "#src/http/signature/other-forms.ts";
import { otherPadding } from "#src/http/signature/other-padding.ts";
import { ps256 } from "#src/http/signature/signer.ts";
import { beginningOf } from "#src/lib/plain-text.ts";

/** The first byte at which the signed form of a body differs from the received one. */
type FirstDifference = { form: string; at: number; received: string; signed: string };

/** The exact bytes that the bank verified, and the body that they are made of. */
type VerifiedBytes = {
  bytes: number;
  /** In hexadecimal digits, like `bodySha256`. */
  sha256: string;
  /** At most 120 bytes, then `…` if there are more. */
  begin: string;
  /** All of them: `header.body`, both base64url. Source: RFC 7515 section 5.1. */
  signingInput: string;
  bodyBytes: number;
  bodySha256: string;
};

/** A detached signature, examined. */
export type ExaminedSignature = {
  isValid: boolean;
  /** The JOSE header as it was read; null if it cannot be read. */
  header: Record<string, unknown> | null;
  /** The kid that the header names, and those of the client that the bank accepts. */
  keyNamed: string | null;
  keysKnown: readonly string[];
  verified: VerifiedBytes;
  faults: readonly { code: string; path: string | null; message: string }[];
  /** The client's key that made the signature, if it is another one than kid names. */
  otherKey: string | null;
  difference: FirstDifference | null;
  /** The likely mistake, in a sentence; null if the signature is valid. */
  mistake: string | null;
};

type Given = {
  header: string;
  body: Uint8Array;
  expectation: Omit<SignatureExpectation, "loadKeys">;
  keys: ReadonlyMap<string, KeyObject>;
};

const mostKeys = 10;

/** Examines a detached signature by the rules of the APIs, and finds the likely mistake. */
export function examineSignature({ header, body, expectation, keys }: Given): ExaminedSignature {
  let read: ReadSignature;
  try {
    read = readDetached(header);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const faults = error.faults.map((fault) => shown(fault as Fault));
    return { ...nothing(header, body, keys), faults, mistake: attached(header) };
  }
  const faults = judgeClaims(read.claims, expectation).map(shown);
  const kid = typeof read.claims.kid === "string" ? read.claims.kid : null;
  const key = kid === null ? undefined : keys.get(kid);
  const isSigned = key !== undefined && matches(read, key, body);
  const found = isSigned ? noMatch : findMatch(read, key, { kid, keys, body });
  const unread = nothing(read.protectedHeader, body, keys);
  const { signingInput } = unread.verified;
  const padding = isSigned || !key ? null : otherPadding(signingInput, key, read.signature);
  const known = {
    ...unread,
    header: read.claims,
    keyNamed: kid,
    faults,
  };
  if (isSigned && faults.length === 0) return { ...known, isValid: true, mistake: null };
  const mistake = faults[0]?.message ?? padding ?? mistakeOf(found, { kid, key, keys, body });
  return { ...known, otherKey: found.otherKey, difference: found.difference, mistake };
}

const shown = ({ code, path, message }: Fault) => ({ code, path: path ?? null, message });

const sha256 = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

const shownBytes = 120;

function nothing(
  protectedHeader: string,
  body: Uint8Array,
  keys: Given["keys"],
): Omit<ExaminedSignature, "mistake"> {
  const input = `${protectedHeader}.${Buffer.from(body).toString("base64url")}`;
  return {
    isValid: false,
    header: null,
    keyNamed: null,
    keysKnown: [...keys.keys()].slice(0, mostKeys),
    verified: {
      bytes: input.length,
      sha256: sha256(input),
      begin: beginningOf(input, shownBytes),
      signingInput: input,
      bodyBytes: body.length,
      bodySha256: sha256(body),
    },
    faults: [],
    otherKey: null,
    difference: null,
  };
}

type Match = {
  otherKey: string | null;
  difference: FirstDifference | null;
  /** Whether the body was signed as it is, without base64url (RFC 7797). */
  isUnencoded: boolean;
};

const noMatch: Match = { otherKey: null, difference: null, isUnencoded: false };

/** Finds the key, the form of the body or the encoding with which a signature fits. */
function findMatch(
  read: ReadSignature,
  key: KeyObject | undefined,
  { kid, keys, body }: { kid: string | null; keys: Given["keys"]; body: Uint8Array },
): Match {
  const others = [...keys].filter(([id]) => id !== kid).slice(0, mostKeys);
  const fitting = others.find(([, other]) => matches(read, other, body));
  if (fitting) return { ...noMatch, otherKey: fitting[0] };
  if (key === undefined) return noMatch;
  if (isOverPlain(read, key, body)) return { ...noMatch, isUnencoded: true };
  const form = otherForms(body).find(({ bytes }) => matches(read, key, bytes));
  return form ? { ...noMatch, difference: firstDifference(form, body) } : noMatch;
}

function isOverPlain(read: ReadSignature, key: KeyObject, body: Uint8Array): boolean {
  const input = Buffer.concat([Buffer.from(`${read.protectedHeader}.`), body]);
  return verify("sha256", input, { key, ...ps256 }, Buffer.from(read.signature, "base64url"));
}

const context = 20;

function firstDifference({ name, bytes }: OtherForm, body: Uint8Array): FirstDifference {
  const shortest = Math.min(bytes.length, body.length);
  let at = 0;
  while (at < shortest && bytes[at] === body[at]) at += 1;
  const around = (some: Uint8Array): string =>
    Buffer.from(some)
      .subarray(Math.max(0, at - context), at + context)
      .toString()
      .replaceAll("\r", "\\r")
      .replaceAll("\n", "\\n");
  return { form: name, at, received: around(body), signed: around(bytes) };
}

/** The key that the header names. */
type Named = { kid: string | null; key: KeyObject | undefined };

function mistakeOf(
  { otherKey, difference, isUnencoded }: Match,
  { kid, key, keys, body }: Pick<Given, "keys" | "body"> & Named,
): string {
  if (otherKey !== null) {
    return `kid names ${kid}, but the signature was made with the client's key ${otherKey}.`;
  }
  if (key === undefined) {
    const known = [...keys.keys()].slice(0, mostKeys).join(", ") || "none";
    return `The client has no key ${kid}. The bank knows: ${known}.`;
  }
  if (isUnencoded) {
    return "The body was signed as it is (b64 false): sign header.base64url(body) instead.";
  }
  if (difference !== null) {
    return (
      `The body was serialised again after it was signed: the signature fits the body ` +
      `${difference.form}. It differs from byte ${difference.at} on.`
    );
  }
  return (
    "Neither another key of the client nor a usual other form of the JSON fits: the body was " +
    `changed after it was signed${lostLines(body)}, or the private key does not belong to this kid.`
  );
}

/** The mistake in a header that is not a detached JWS. */
function attached(header: string): string {
  const parts = header.split(".");
  return parts.length === 3 && parts[1] !== ""
    ? "The signature contains the body: leave out the part between the two dots."
    : "The header is not a detached JWS: header, two dots, signature, all in base64url.";
}

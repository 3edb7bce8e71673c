import { createHash, createVerify, type KeyObject } from "node:crypto";
import { type DistinguishedName, isRegisteredName } from "#src/certificates/distinguished-name.ts";
import { ApiError, type Fault, refusal } from "#src/http/api-error.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import { millisecondsText } from "#src/lib/date-time.ts";
import { beginningOf, textOf } from "#src/lib/plain-text.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import { criticalClaims, DetachedInput, jwsClaims } from "./message-signer.ts";
import { otherForms } from "./other-forms.ts";
import { otherPadding } from "./other-padding.ts";
import { ps256 } from "./signer.ts";

/** Name of the header that carries the detached signature. */
export const signatureHeader = "x-jws-signature";

/** Whether a request of an operation must have a valid signature, and its response gets one. */
export const isSigned = (
  { signed }: { signed: boolean | "if sent" },
  headers: Readonly<Record<string, unknown>>,
): boolean => (signed === "if sent" ? headers[signatureHeader] !== undefined : signed);

/** The facts against which a request's signature is checked. */
export type SignatureExpectation = {
  organisationId: string;
  softwareId: string;
  /** The subject of the client certificate, which may replace the ids; null if there is none. */
  certificateSubject: DistinguishedName | null;
  trustAnchors: readonly string[];
  /** The body's media type, which `cty` may name; JSON by default. */
  contentType?: string;
  /** The sandbox's time and the machine's, in seconds: the TPP may follow either. */
  bankTime: number;
  realTime: number;
  /**
   * The client's keys; loaded only if every claim is valid, or only the issuer is wrong. `kid`
   * names the key that is needed.
   */
  loadKeys(kid: string): Promise<ReadonlyMap<string, KeyObject>>;
};

/** The error codes of invalid signatures. */
export const signatureCodes: ReadonlySet<FaultCode> = new Set([
  "U015",
  "U016",
  "U017",
  "U018",
  "U019",
]);

type Claims = Record<string, unknown>;
type Expected = Omit<SignatureExpectation, "loadKeys">;

const skewSeconds = 30;
const lifetimeSeconds = 24 * 3600;
const base64url = /^[A-Za-z0-9_-]+$/;
const members: readonly string[] = ["alg", "kid", ...criticalClaims, "crit"];

/**
 * Verifies a detached signature over exactly `rawBody`; the claims are checked before the
 * cryptography. Throws 400: U019 if it is absent, U018 if it is not a detached JWS, U017 for a
 * missing claim, U016 for each wrong claim, U015 if it does not match the body. Source:
 * P-031…P-041.
 */
export async function verifyDetached(
  header: string | string[] | undefined,
  rawBody: Uint8Array,
  expectation: SignatureExpectation,
): Promise<void> {
  const judged = await judgeHeader(header, expectation);
  if (matches(judged, judged.key, rawBody)) return;
  throw refusal("U015", signatureHeader, whyNot(judged, rawBody));
}

/** Verifies a signature over bytes that arrive piece by piece. */
export type StreamVerifier = {
  update(bytes: Uint8Array): void;
  /** Throws U015 unless the signature matches all the bytes. */
  finish(): void;
};

/** Like `verifyDetached`, but for bytes that arrive later: the header is checked first. */
export async function verifyStream(
  header: string | string[] | undefined,
  expectation: SignatureExpectation,
): Promise<StreamVerifier> {
  const judged = await judgeHeader(header, expectation);
  const verifier = openVerifier(judged);
  return {
    update: verifier.update,
    finish() {
      if (verifier.matches(judged.key)) return;
      throw refusal("U015", signatureHeader, otherBytes);
    },
  };
}

function openVerifier({ protectedHeader, signature }: ReadSignature) {
  // on this thread, because handing the work to another thread takes longer
  const verify = createVerify("sha256");
  const input = new DetachedInput(verify, protectedHeader);
  return {
    update: (bytes: Uint8Array): void => input.update(bytes),
    matches(key: KeyObject): boolean {
      input.end();
      return verify.verify({ key, ...ps256 }, Buffer.from(signature, "base64url"));
    },
  };
}

/** Whether a signature was made with a key over exactly these bytes. */
export function matches(read: ReadSignature, key: KeyObject, bytes: Uint8Array): boolean {
  const verifier = openVerifier(read);
  verifier.update(bytes);
  return verifier.matches(key);
}

const otherBytes = "The signature does not match the body: sign the exact bytes that you send.";
// A client has few keys; more would be work for one wrong request.
const mostTried = 10;

/** Says whether another padding or key, or the same JSON in another form, was signed. */
function whyNot(judged: JudgedHeader, rawBody: Uint8Array): string {
  const { kid, key, protectedHeader, signature } = judged;
  const input = `${protectedHeader}.${Buffer.from(rawBody).toString("base64url")}`;
  const padding = otherPadding(input, key, signature);
  if (padding !== null) return padding;
  const others = [...judged.keys].filter(([id]) => id !== kid).slice(0, mostTried);
  const fitting = others.find(([, other]) => matches(judged, other, rawBody));
  if (fitting) {
    return (
      `The signature was made with your key ${fitting[0]}, but kid names ${kid}. Send the kid of ` +
      "the key that signs."
    );
  }
  const form = otherForms(rawBody).find(({ bytes }) => matches(judged, key, bytes));
  if (form) {
    return (
      "The signature is of the same JSON in another form: it fits the body " +
      `${form.name}. The body was serialised again after it was signed. Send the bytes that you ` +
      "signed, unchanged."
    );
  }
  const hash = createHash("sha256").update(rawBody).digest("hex");
  const keys =
    others.length === 0
      ? `If it is the same, the private key does not belong to the kid ${kid}: sign with its key.`
      : `If it is the same, none of your ${others.length + 1} keys has signed it.`;
  return (
    `${otherBytes} The bank received ${rawBody.byteLength} bytes with the SHA-256 ${hash}. If the ` +
    `bytes that you signed have another one, the body was changed after it was signed` +
    `${lostLines(rawBody)}. ${keys}`
  );
}

/** A common change that nobody can undo: curl sends a file without its line breaks. */
export const lostLines = (rawBody: Uint8Array): string =>
  rawBody.includes(10) ? "" : ", as curl -d removes line breaks (use --data-binary)";

/** A detached signature, read but not verified. */
export type ReadSignature = { protectedHeader: string; signature: string; claims: Claims };

type JudgedHeader = ReadSignature & {
  kid: string;
  key: KeyObject;
  /** Every key of the client by its `kid`. */
  keys: ReadonlyMap<string, KeyObject>;
};

async function judgeHeader(
  header: string | string[] | undefined,
  expectation: SignatureExpectation,
): Promise<JudgedHeader> {
  if (header === undefined) {
    throw new ApiError(400, [unsigned(expectation)]);
  }
  const read = readDetached(header);
  const { claims } = read;
  const faults = judgeClaims(claims, expectation);
  // who signs in another client's name probably uses its key too
  const isOtherClient = faults.length === 1 && faults[0]?.path === jwsClaims.issuer;
  if (faults.length > 0 && !isOtherClient) throw new ApiError(400, faults);
  const kid = textOf(claims.kid);
  const keys = await expectation.loadKeys(kid);
  const key = keys.get(kid);
  if (!key) {
    const known = [...keys.keys()].slice(0, mostTried).join(", ");
    const advice =
      "this is not a key of the caller; sign with your own key, and name a signature key of your " +
      `JWKS; the bank knows ${known || "none of them"}`;
    faults.push(wrong("kid", kid, advice));
  }
  if (!key || faults.length > 0) throw new ApiError(400, faults);
  return { ...read, kid, key, keys };
}

/** The fault of a request without a signature: how to make one. */
export const unsigned = (expectation: Expected): Fault => ({
  code: "U019",
  path: signatureHeader,
  message:
    "Sign the exact bytes of the body as a detached JWS (RFC 7515), and send it in this header: " +
    "base64url of the JOSE header, two dots, base64url of the signature. JOSE header: alg, PS256; " +
    `kid, that of your key in your JWKS; ${jwsClaims.issuedAt}, the time in seconds; ` +
    `${jwsClaims.issuer}, ${issuerOf(expectation)}; ${jwsClaims.trustAnchor}, ` +
    `${expectation.trustAnchors[0]}; crit, the list of the last three names.`,
});

/** Reads a detached signature. Throws U018 if it is not one. */
export function readDetached(header: string | string[]): ReadSignature {
  const parts = String(header).split(".");
  const [protectedHeader = "", payload, signature = ""] = parts;
  if (parts.length !== 3 || payload !== "" || ![protectedHeader, signature].every(isBase64Url)) {
    throw notDetached(
      "Send a detached JWS: base64url of the JOSE header, two dots, base64url of the signature.",
    );
  }
  // two parsers may read a repeated member differently
  const claims = parseJsonObject(Buffer.from(protectedHeader, "base64url"), (why) =>
    notDetached(`The JOSE header of the signature ${why}.`),
  );
  return { protectedHeader, signature, claims };
}

const notDetached = (message: string): ApiError => refusal("U018", signatureHeader, message);

const isBase64Url = (text: string): boolean => base64url.test(text) && text.length % 4 !== 1;

/** Lists what is wrong with the claims of a signature. */
export function judgeClaims(claims: Claims, expectation: Expected): Fault[] {
  const missing = members.filter((name) => claims[name] === undefined || claims[name] === null);
  if (missing.length > 0) {
    return missing.map((path) => ({
      code: "U017",
      path,
      message: `Add ${path} to the JOSE header: ${rules[path]?.(undefined, expectation)}.`,
    }));
  }
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(claims)) {
    const judge = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const advice = judge
      ? judge(value, expectation)
      : "leave it out, because it is not a defined member";
    if (advice !== null) faults.push(wrong(name, value, advice));
  }
  return faults;
}

const wrong = (path: string, value: unknown, advice: string): Fault => ({
  code: "U016",
  path,
  message: `${path} in the JOSE header is ${beginningOf(textOf(value), 100)}: ${advice}.`,
});

/** Returns what to do about a member, or null when it is right. */
type Rule = (value: unknown, expectation: Expected) => string | null;

const unless = (holds: boolean, advice: string): string | null => (holds ? null : advice);

const rules: Readonly<Record<string, Rule>> = {
  alg: (value) => unless(value === "PS256", "sign with PS256"),
  kid: (value) => unless(typeof value === "string", "name a signature key of your JWKS"),
  typ: (value) => unless(value === "JOSE", "send JOSE, or leave it out"),
  cty: (value, { contentType = "application/json" }) =>
    unless(
      value === contentType || (contentType === "application/json" && value === "json"),
      `send ${contentType}, or leave it out`,
    ),
  crit: (value) =>
    unless(
      Array.isArray(value) &&
        value.length === criticalClaims.length &&
        criticalClaims.every((name) => value.includes(name)),
      `list exactly ${criticalClaims.join(", ")}`,
    ),
  b64: () =>
    "leave it out, also of crit, because the body is base64url-encoded before it is signed",
  [jwsClaims.issuedAt]: judgeIssuedAt,
  [jwsClaims.issuer]: (value, expectation) =>
    unless(
      isIssuer(value, expectation),
      `this is not the caller; send ${issuerForm} of the caller, ${issuerOf(expectation)}`,
    ),
  [jwsClaims.trustAnchor]: (value, { trustAnchors }) =>
    unless(
      typeof value === "string" && trustAnchors.includes(value),
      `send ${trustAnchors.join(" or ")}`,
    ),
};

// A sandbox's clock may be ahead of a TPP's by months: neither the bank's time nor the real one
// may make a fresh signature look old or early.
function judgeIssuedAt(value: unknown, { bankTime, realTime }: Expected) {
  if (typeof value !== "number")
    return "send the time of signing as a number of seconds since 1970";
  if (millisecondsText(value)) return "send the time of signing in seconds, not milliseconds";
  if (value > Math.max(bankTime, realTime) + skewSeconds) {
    const now = Temporal.Instant.fromEpochMilliseconds(
      Math.floor(Math.max(bankTime, realTime) * 1000),
    );
    return (
      "send the time of signing in seconds; it must not be in the future, and the bank's time is " +
      now.toString({ smallestUnit: "second" })
    );
  }
  const oldest = Math.min(bankTime, realTime) - lifetimeSeconds;
  return unless(value >= oldest, "sign again, because the signature is older than a day");
}

// the caller may be unknown when a pasted message is judged
const issuerOf = ({ organisationId, softwareId }: Expected): string =>
  organisationId === "" ? issuerForm : `${organisationId}/${softwareId}`;
const issuerForm = "{organisation id}/{software id}";

function isIssuer(value: unknown, expectation: Expected): boolean {
  if (typeof value !== "string") return false;
  if (value === `${expectation.organisationId}/${expectation.softwareId}`) return true;
  return (
    expectation.certificateSubject !== null &&
    isRegisteredName(expectation.certificateSubject, value)
  );
}

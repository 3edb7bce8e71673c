import { isUtf8 } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { decodeProtectedHeader } from "jose";
import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { isKeptHeaderOfJwt, isKeptMember, isPublicMemberOfKey } from "./kept-members.ts";

// What the log keeps of headers and bodies. Headers, fields of forms, and members of JSON and of
// JWTs outside the APIs are kept if they are listed here or in kept-members.ts; of the others, the
// log keeps only the names. So a secret in a place that nobody thought of is not kept. The APIs'
// own bodies are kept as they are, except for what looks like a token or a private key.

/** Replaces a secret. */
const masked = "[masked]";
const notKept = "[not kept]";

const keptHeaders = new Set([
  "accept",
  "accept-post",
  "allow",
  "content-length",
  "content-type",
  "date",
  "payload-version",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "user-agent",
  "www-authenticate",
  "x-customer-user-agent",
  "x-fapi-auth-date",
  "x-fapi-customer-ip-address",
  "x-fapi-interaction-id",
  "x-idempotency-key",
  "x-jws-signature",
]);

/** What a field of a form or a query may show: its value, its JWT without signature, or nothing. */
const fields: Readonly<Record<string, "value" | "jwt">> = {
  acr_values: "value",
  client_assertion: "jwt",
  client_assertion_type: "value",
  client_id: "value",
  code_challenge_method: "value",
  grant_type: "value",
  max_age: "value",
  prompt: "value",
  redirect_uri: "value",
  request: "jwt",
  response_mode: "value",
  response_type: "value",
  scope: "value",
  token_type_hint: "value",
};

// members that no API has: somebody has sent them to the wrong place
const secretMembers = new Set([
  "access_token",
  "auth_req_id",
  "client_notification_token",
  "client_secret",
  "code",
  "code_verifier",
  "d",
  "device_code",
  "dp",
  "dq",
  "ephemeral_sub",
  "id_token",
  "id_token_hint",
  "login_hint",
  "login_hint_token",
  "p",
  "password",
  "pin",
  "private_key",
  "q",
  "qi",
  "refresh_token",
  "registration_access_token",
  "request_uri",
  "response",
  "user_code",
]);

const longest = 32_768;
const longestHeader = 4096;

/** Headers with the values of those that are not secret. */
export function keptOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const text = textOf(Array.isArray(value) ? value.join() : value).slice(0, longestHeader);
    if (keptHeaders.has(name)) kept[name] = withoutTokens(text);
    else if (name === "location") kept[name] = maskUrl(text);
    else if (name === "authorization") kept[name] = `${schemeOf(text)} ${masked}`.trimStart();
    else kept[name] = notKept;
  }
  return kept;
}

// without a scheme, the first word is the token
const schemeOf = (text: string): string => /^(?:basic|bearer|dpop)(?= )/i.exec(text)?.[0] ?? "";

/**
 * A text without private keys, and whose JWTs have no signature: the header and the claims explain
 * a JWT, and without its signature nobody can use it. A detached signature has no claims and stays.
 */
const withoutTokens = (text: string): string =>
  text
    .replace(/-----BEGIN [^"-]*-----[^"-]*/g, (pem) =>
      pem.includes(" PRIVATE KEY") ? masked : pem,
    )
    .replace(/[\w.-]+/g, (word) =>
      isJwt(word) ? bareJwt(word) : isEncrypted(word) ? masked : word,
    );

function isJwt(word: string): boolean {
  const [header = "", claims = "", signature = "", more] = word.split(".");
  return header.startsWith("eyJ") && claims !== "" && signature !== "" && more === undefined;
}

// An encrypted JWT has five parts.
const isEncrypted = (word: string): boolean =>
  word.startsWith("eyJ") && word.split(".").length === 5;

/** A query with the values of an API's own parameters. */
export const maskQuery = (query: string, own: ReadonlySet<string>): string =>
  maskPairs(query, (name) => (own.has(name) ? "value" : null));

/** A form or a query of the authorization server. */
export const maskForm = (text: string): string =>
  maskPairs(text, (name) => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null));

function maskPairs(text: string, shows: (name: string) => "value" | "jwt" | null): string {
  const pairs = [...new URLSearchParams(text.slice(0, longest))].map(([name, value]) => {
    const how = shows(name);
    if (how === null) return `${shortName(name)}=${masked}`;
    return `${name}=${how === "jwt" ? bareJwt(value) : withoutTokens(value)}`;
  });
  return pairs.join("&");
}

// a name that is a secret itself is as long as one
const shortName = (name: string): string => (/^[a-z_-]{1,40}$/i.test(name) ? name : notKept);

/** The header and the claims of a JWT, without what somebody else could use. */
function bareJwt(text: string): string {
  const [header = "", claims, signature] = text.split(".");
  if (claims === undefined || signature === undefined) return masked;
  return `${maskHeader(header)}.${maskClaims(text, claims)}.${masked}`;
}

// what cannot be read may be anything, such as secrets before the end of cut JSON
function maskHeader(encoded: string): string {
  try {
    const header = decodeProtectedHeader({ protected: encoded });
    return encodedAgain(encoded, header, keepMembers({ ...header }, isKeptHeaderOfJwt));
  } catch {
    return masked;
  }
}

function maskClaims(jwt: string, encoded: string): string {
  const claims = unverifiedClaims(jwt);
  return claims === null ? masked : encodedAgain(encoded, claims, keepMembers(claims));
}

/** The text of an object, which is encoded again if some of it was masked. */
function encodedAgain(encoded: string, whole: object, kept: object): string {
  // the whole may be nested too deeply to make a text of it
  const isSame = isDeepStrictEqual(kept, whole);
  return isSame ? encoded : Buffer.from(JSON.stringify(kept)).toString("base64url");
}

type Members = Record<string, unknown>;

/** The members of an object, with the values of those that are listed. */
const keepMembers = (whole: Members, isKept = isKeptMember, depth = 0): Members =>
  Object.fromEntries(
    Object.entries(whole).map(([name, value]) =>
      isKept(name) ? [name, withoutSecrets(value, depth + 1)] : [shortName(name), masked],
    ),
  );

// no message of the standard comes near this
const deepest = 32;

/** A JSON value without tokens and private keys, and without what is nested too deeply. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return withoutTokens(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === deepest) return masked;
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, depth + 1));
  if (Object.hasOwn(value, "kty")) return keepMembers(value as Members, isPublicMemberOfKey, depth);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isSecret = typeof member === "string" && secretMembers.has(name);
      return [name, isSecret ? masked : withoutSecrets(member, depth + 1)];
    }),
  );
}

function maskUrl(text: string): string {
  // the bank's own addresses are handles of a customer's journey
  if (text.startsWith("/")) return maskPath(text);
  const end = text.search(/[?#]/);
  return end < 0 ? text : text.slice(0, end + 1) + maskForm(text.slice(end + 1));
}

/** The first part of a path: the others may be handles. */
const maskPath = (path: string): string => `/${path.split("/")[1] ?? ""}/${masked}`;

// the addresses of browsers, of the bank's channels and of the sandbox's controls
const withHandles = /^\/+(?:auth|bank|channels|journey|sandbox)\/+./i;

// as long as a token or an id
const isLong = (part: string): boolean => /[\w%~+=-]{20}/.test(part);

// such as "international-standing-order-consents"
const isOfWords = (part: string): boolean => /^[a-z]{1,15}(?:-[a-z]{1,15})+$/.test(part);

/** The path of a request that nothing serves: anything in it may be a secret in a wrong place. */
export const maskUnserved = (path: string): string =>
  withHandles.test(path)
    ? maskPath(path.replace(/^\/+/, "/"))
    : path.replace(/[^/]+/g, (part) => (isLong(part) && !isOfWords(part) ? masked : part));

// an id that the bank makes (`newId` and those made from it), or a UUID, as other cores have
const isId = (part: string): boolean =>
  /^[a-z][a-z0-9]{0,12}-[0-9a-z]{16,26}(?:-[0-9a-z]{1,10})?$/.test(part) ||
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(part);

/**
 * The path of a request that was served, or an id in it. What a refused request names may be a
 * secret in a wrong place, unless it looks like an id; what has been found is an id of the core's.
 */
export const maskServed = (path: string, status: number): string =>
  status < 400
    ? path
    : path.replace(/[^/]+/g, (part) =>
        isLong(part) && !isOfWords(part) && !isId(part) ? masked : part,
      );

/** A body as text, up to a limit; null if it is not text. */
function bodyText(bytes: Uint8Array | null | undefined): string | null {
  if (!bytes || bytes.length === 0 || !isUtf8(bytes)) return null;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString().slice(0, longest);
}

/** A body of an API as text, with its tokens masked. */
export const apiText = (bytes: Uint8Array | null | undefined): string | null => {
  const text = bodyText(bytes);
  return text === null ? null : withoutTokens(maskMembers(text));
};

/** JSON whose secret members are masked. It is not parsed, because it may be cut off. */
const maskMembers = (text: string): string =>
  text.replace(/"([a-z_]+)"\s*:\s*"[^"]*"?/g, (whole, name: string) =>
    secretMembers.has(name) ? `"${name}":"${masked}"` : whole,
  );

/**
 * An answer outside the APIs: the listed members of a JSON object, or a JWT without its signature.
 * Nothing of another text is kept: it may name the handle of a journey.
 */
export function maskAnswer(bytes: Uint8Array | null): string | null {
  const text = bytes && isUtf8(bytes) ? Buffer.from(bytes).toString() : "";
  if (isJwt(text)) return bareJwt(text).slice(0, longest);
  const whole = objectIn(text);
  return whole && JSON.stringify(keepMembers(whole)).slice(0, longest);
}

function objectIn(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? (value as Members | null) : null;
  } catch {
    return null;
  }
}

/** The request body of the registration endpoint or of the authorization server. */
export function maskRequest(contentType: string, bytes: Uint8Array | null): string | null {
  const text = bodyText(bytes);
  if (text === null) return null;
  if (contentType.startsWith("application/x-www-form-urlencoded")) return maskForm(text);
  return /^[\w-]+\.[\w-]+\.[\w-]*\s*$/.test(text) ? bareJwt(text) : notKept;
}

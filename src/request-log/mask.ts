import { isUtf8 } from "node:buffer";
import { decodeProtectedHeader } from "jose";
import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import { textOf } from "#src/lib/plain-text.ts";

// What the log keeps of headers and bodies. Headers and fields of forms are kept if they are listed
// here; of the others, the log keeps only the names. So a secret in a place that nobody thought of
// is not kept.

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

const secretMembers = new Set([
  "access_token",
  "auth_req_id",
  "client_secret",
  "code",
  "device_code",
  "id_token",
  "refresh_token",
  "registration_access_token",
  "request_uri",
  "response",
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
    else if (name === "authorization")
      kept[name] = `${text.split(" ", 1)[0]?.slice(0, 10)} ${masked}`;
    else kept[name] = notKept;
  }
  return kept;
}

/**
 * A text whose JWTs have no signature: the header and the claims explain a JWT, and without its
 * signature nobody can use it. A detached signature has no claims and stays.
 */
const withoutTokens = (text: string): string =>
  text.replace(/[\w.-]+/g, (word) => (isJwt(word) ? bareJwt(word) : word));

function isJwt(word: string): boolean {
  const [header = "", claims = "", signature = "", more] = word.split(".");
  return header.startsWith("eyJ") && claims !== "" && signature !== "" && more === undefined;
}

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

// members of a request object that are secrets, or name a customer
const secretClaims = ["client_notification_token", "id_token_hint", "login_hint_token"];

// what cannot be read may be anything, such as secrets before the end of cut JSON
function maskHeader(encoded: string): string {
  try {
    decodeProtectedHeader({ protected: encoded });
    return encoded;
  } catch {
    return masked;
  }
}

function maskClaims(jwt: string, encoded: string): string {
  const claims = unverifiedClaims(jwt);
  if (claims === null) return masked;
  const found = secretClaims.filter((name) => claims[name] !== undefined);
  if (found.length === 0) return encoded;
  const shown = { ...claims, ...Object.fromEntries(found.map((name) => [name, masked])) };
  return Buffer.from(JSON.stringify(shown)).toString("base64url");
}

function maskUrl(text: string): string {
  // the bank's own addresses are handles of a customer's journey
  if (text.startsWith("/")) return `/${text.split("/")[1]}/${masked}`;
  const end = text.search(/[?#]/);
  return end < 0 ? text : text.slice(0, end + 1) + maskForm(text.slice(end + 1));
}

/** A body as text, up to a limit; null if it is not text. */
export function bodyText(bytes: Uint8Array | null | undefined): string | null {
  if (!bytes || bytes.length === 0 || !isUtf8(bytes)) return null;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString().slice(0, longest);
}

/** An answer as text, with its tokens masked. */
export const answerText = (bytes: Uint8Array | null | undefined): string | null => {
  const text = bodyText(bytes);
  return text === null ? null : withoutTokens(maskMembers(text));
};

/** JSON whose secret members are masked. It is not parsed, because it may be cut off. */
const maskMembers = (text: string): string =>
  text.replace(/"([a-z_]+)"\s*:\s*"[^"]*"?/g, (whole, name: string) =>
    secretMembers.has(name) ? `"${name}":"${masked}"` : whole,
  );

/** The request body of the registration endpoint or of the authorization server. */
export function maskRequest(contentType: string, bytes: Uint8Array | null): string | null {
  const text = bodyText(bytes);
  if (text === null) return null;
  if (contentType.startsWith("application/x-www-form-urlencoded")) return maskForm(text);
  return /^[\w-]+\.[\w-]+\.[\w-]*\s*$/.test(text) ? bareJwt(text) : notKept;
}

import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import { beginningOf, textOf } from "#src/lib/plain-text.ts";
import type { LoggedBodies } from "#src/request-log/entry.ts";

/** The object in a text of JSON; null if it has none. */
export function parse(text: string | null | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const longestFound = 200;
const masked = "[masked]";

/**
 * The value that a request has at a place: a header, a member of the JOSE header or of the body, a
 * parameter, or a claim of the JWT that `message` speaks of. Null if it has none, or if the log
 * does not keep it.
 */
export function foundIn(
  place: string,
  bodies: LoggedBodies | null,
  message: string | null = null,
): string | null {
  if (bodies === null) return null;
  const header = bodies.requestHeaders[place.toLowerCase()];
  if (header !== undefined) return beginningOf(header, longestFound);
  for (const object of objectsOf(bodies, message ?? "")) {
    const found = valueAt(object, place);
    if (found === undefined || found === masked) continue;
    return beginningOf(JSON.stringify(found), longestFound);
  }
  return null;
}

function valueAt(object: Record<string, unknown> | null, path: string): unknown {
  if (object && Object.hasOwn(object, path)) return object[path];
  let at: unknown = object;
  for (const name of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** The objects of a request in which a place may be; those that a message names come first. */
function objectsOf(bodies: LoggedBodies, message: string): (Record<string, unknown> | null)[] {
  const { request, query, requestHeaders } = bodies;
  const isForm = /x-www-form-urlencoded/.test(requestHeaders["content-type"] ?? "");
  const form = Object.fromEntries(new URLSearchParams(isForm ? (request ?? "") : query));
  const isAssertion = message.includes("client assertion");
  const jwts = isAssertion ? [form.client_assertion] : [form.request, form.client_assertion];
  const signed = isForm ? [] : [request ?? undefined];
  return [
    parse(joseHeader(requestHeaders["x-jws-signature"])),
    ...(isForm ? [] : [parse(request)]),
    ...[...jwts, ...signed].flatMap((jwt) =>
      jwt === undefined ? [] : [parse(joseHeader(jwt)), unverifiedClaims(textOf(jwt))],
    ),
    form,
  ];
}

const joseHeader = (signature = ""): string =>
  Buffer.from(signature.split(".", 1)[0] ?? "", "base64url").toString();

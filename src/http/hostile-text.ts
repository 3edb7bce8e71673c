import type { FastifyInstance, FastifyRequest } from "fastify";
import { isStorable } from "#src/lib/plain-text.ts";

/** A value inside a JSON value, with the way to it. */
type Place = { value: unknown; name: string; parent: Place | null };

/** Whether every text below a JSON value, and every name of a member, passes a test. */
function everyText(value: unknown, isRight: (text: string) => boolean): boolean {
  // a stack of our own, because callers choose how deep their JSON is nested
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === "string") {
      if (!isRight(part)) return false;
    } else if (Array.isArray(part)) {
      for (const member of part) waiting.push(member);
    } else if (typeof part === "object" && part !== null) {
      for (const name in part) {
        if (!isRight(name)) return false;
        waiting.push((part as Record<string, unknown>)[name]);
      }
    }
  }
  return true;
}

/**
 * Yields the path of each text below a JSON value that does not pass a test, in their order. The
 * path of the value itself is empty. With `names`, an object with a wrong name is yielded too.
 * Paths are made of what is wrong only: making one for each value costs more than the test.
 */
export function* wrongTexts(
  value: unknown,
  isRight: (text: string) => boolean,
  { names }: { names: boolean },
): Generator<string> {
  const waiting: Place[] = [{ value, name: "", parent: null }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const { value: part } = place;
    if (typeof part === "string" && !isRight(part)) yield pathOf(place);
    if (typeof part !== "object" || part === null) continue;
    const isList = Array.isArray(part);
    const entries = Object.entries(part);
    if (names && !entries.every(([name]) => isRight(name))) yield pathOf(place);
    for (const [name, member] of entries.reverse()) {
      waiting.push({ value: member, name: isList ? `[${name}]` : name, parent: place });
    }
  }
}

function pathOf(place: Place): string {
  const names: string[] = [];
  for (let at: Place = place; at.parent; at = at.parent) names.push(at.name);
  return names.reverse().reduce((path, name) => {
    const isIndex = name.startsWith("[");
    return path === "" || isIndex ? path + name : `${path}.${name}`;
  }, "");
}

/**
 * Text that contains NUL or an unpaired surrogate, or is not percent-encoded UTF-8. Each interface
 * refuses it with its own 400.
 */
export class HostileText extends Error {
  readonly statusCode = 400;
  /** The parameter, header or member that contains the text. */
  readonly path: string;

  constructor(path: string) {
    super(`${path} ${rule}`);
    this.path = path;
  }
}

const rule = "must be UTF-8 without NUL. In a URL or a form, it must be percent-encoded.";

// the character that decoders use for bytes that are not UTF-8
const replacement = "\ufffd";

const isDecoded = (text: string): boolean => isStorable(text) && !text.includes(replacement);

/**
 * Returns the path of the first text below a JSON value, member names included, that cannot be
 * stored; null if every one can. The path of the value itself is empty.
 */
export function findUnstorable(value: unknown): string | null {
  if (everyText(value, isStorable)) return null;
  const [path = ""] = wrongTexts(value, isStorable, { names: true });
  return path;
}

/**
 * Makes a URL's path decodable, so that it reaches its route and is refused there: bytes that are
 * not percent-encoded UTF-8 become replacement characters. For Fastify's `rewriteUrl`.
 */
export function decodablePath(url: string): string {
  if (!url.includes("%")) return url;
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  if (decode(path) !== null) return url;
  const sound = path
    .split("/")
    .map((part) => (decode(part) === null ? encodeURIComponent(replacement) : part))
    .join("/");
  return sound + url.slice(path.length);
}

/**
 * Refuses hostile text in paths, queries, forms and JSON bodies of every route that is added later,
 * before any handler sees it. Routes that read their own bodies check those themselves.
 */
export function refuseHostileText(app: FastifyInstance): void {
  // without promises, because both hooks run for every request
  app.addHook("onRequest", (request, _reply, done) => {
    for (const [name, value] of Object.entries(request.params as Record<string, string>)) {
      if (!isDecoded(value)) throw new HostileText(name);
    }
    judgeQuery(request);
    done();
  });
  app.addHook("preValidation", ({ body }, _reply, done) => {
    judgeBody(body);
    done();
  });
}

function judgeQuery({ originalUrl }: FastifyRequest): void {
  const start = originalUrl.indexOf("?");
  if (start < 0) return;
  for (const pair of originalUrl.slice(start + 1).split("&")) {
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1).replaceAll("+", " "));
    if (name === null || !isDecoded(name)) throw new HostileText("query");
    if (value === null) throw new HostileText(name);
    judgeField(name, value);
  }
}

/**
 * Throws for Basic credentials that contain hostile text. A client's name and password are
 * form-encoded inside the base64. Source: RFC 6749 section 2.3.1.
 */
export function judgeCredentials(header: string | undefined): void {
  const encoded = /^basic +(\S+)/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return;
  const text = decode(Buffer.from(encoded, "base64").toString());
  if (text === null || !isDecoded(text)) throw new HostileText("authorization");
}

function judgeBody(body: unknown): void {
  if (body instanceof URLSearchParams) {
    for (const [name, value] of body) judgeField(isDecoded(name) ? name : "form", value, name);
  } else if (!Buffer.isBuffer(body)) {
    const path = findUnstorable(body);
    if (path !== null) throw new HostileText(path || "body");
  }
}

function judgeField(path: string, value: string, name = path): void {
  if (!isDecoded(name) || !isDecoded(value) || holdsHostileClaim(value)) {
    throw new HostileText(path);
  }
}

/**
 * Whether a text is JSON, or a JSON Web Token, with a member that cannot be stored. Decoders of
 * base64 skip characters that do not belong there, so any text with two dots may be a token.
 */
function holdsHostileClaim(text: string): boolean {
  if (text.trimStart().startsWith("{")) return isUnstorableJson(text);
  const parts = text.split(".", 3);
  if (parts.length < 3) return false;
  return parts
    .slice(0, 2)
    .some((part) => isUnstorableJson(Buffer.from(part, "base64url").toString()));
}

function isUnstorableJson(text: string): boolean {
  try {
    return findUnstorable(JSON.parse(text)) !== null;
  } catch {
    return false; // not JSON: it is refused as such
  }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

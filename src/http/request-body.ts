import type { IncomingMessage } from "node:http";
import { ApiError, refusal } from "./api-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });
const maximumDepth = 64;

/** Reads the exact bytes of a body; throws 413 when there are more than `limit`. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bodyChunks(request, limit)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** The bytes of a body as they come; throws 413 when there are more than `limit`. */
export async function* bodyChunks(
  request: IncomingMessage,
  limit: number,
): AsyncGenerator<Buffer, void> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  let size = 0;
  const chunks = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Buffer>;
    try {
      next = await chunks.next();
    } catch {
      throw malformed("The body ended before all of it was there.");
    }
    if (next.done) return;
    size += next.value.length;
    if (size > limit) throw tooLarge(limit);
    yield next.value;
  }
}

const tooLarge = (limit: number): ApiError =>
  new ApiError(413, [{ code: "U010", message: `Send a body of at most ${limit} bytes.` }], {
    connection: "close",
  });

/**
 * Parses a body as a JSON object; throws U010 when it is not UTF-8, not JSON, no object, names a
 * member twice or is nested deeper than 64 levels. Source: P-058, P-059, A-035, A-087.
 */
export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed("The body must be UTF-8.");
  }
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed("The body must be JSON.");
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw malformed("The body must be a JSON object.");
  }
  checkMembers(text, value);
  return value as Record<string, unknown>; // the line above says so
}

const quote = 34;
const colon = 58;
const opening = [91, 123]; // [ {
const closing = [93, 125]; // ] }

// `text` is known to be JSON of `value`: strings, brackets and colons are all that has to be told
// apart. Of a member that is named twice the value has one.
function checkMembers(text: string, value: unknown): void {
  let depth = 0;
  let named = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === colon) named += 1;
    else if (opening.includes(code)) depth += 1;
    else if (closing.includes(code)) depth -= 1;
    if (depth > maximumDepth) throw malformed("The body is nested too deeply.");
  }
  if (named === countMembers(value)) return;
  throw malformed("The body names a member twice in one object.");
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = Object.values(value);
  const here = Array.isArray(value) ? 0 : members.length;
  return members.reduce((count: number, member) => count + countMembers(member), here);
}

const malformed = (message: string): ApiError => refusal("U010", undefined, message);

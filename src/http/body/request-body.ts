import type { IncomingMessage } from "node:http";
import { ApiError, refusal } from "#src/http/api-error.ts";
import { findUnstorable } from "#src/http/hostile-text.ts";
import { parseJsonObject } from "#src/http/json-object.ts";

/** The largest JSON body of a request, in bytes. */
export const bodyLimitBytes = 131_072;

/** Reads the exact bytes of a body. Throws 413 if there are more than `limit`. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bodyChunks(request, limit)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** The bytes of a body as they arrive. Throws 413 if there are more than `limit`. */
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
      throw malformed("The connection ended before the whole body had arrived.");
    }
    if (next.done) return;
    size += next.value.length;
    if (size > limit) throw tooLarge(limit);
    yield next.value;
  }
}

const tooLarge = (limit: number): ApiError => {
  const message =
    `The body has more than ${limit} bytes, which is the limit of this bank. Send less in one ` +
    "request.";
  return new ApiError(413, [{ code: "U010", message }], { connection: "close" });
};

/**
 * Parses a body as a JSON object. Throws U010 if it is not UTF-8 or not a JSON object, repeats a
 * member or is nested deeper than 64 levels. Throws U002 for NUL or an unpaired surrogate. Source:
 * P-058, P-059, A-035, A-087.
 */
export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  const body = parseJsonObject(bytes, (why) => malformed(`The body ${why}.`));
  // only an escape can produce these characters: the bytes are UTF-8, and JSON does not allow a
  // bare NUL
  const path = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("\\u")
    ? findUnstorable(body)
    : null;
  if (path === null) return body;
  const message = "Text must not contain NUL or an unpaired surrogate.";
  throw refusal("U002", path || undefined, message);
}

const malformed = (message: string): ApiError => refusal("U010", undefined, message);

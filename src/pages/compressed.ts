import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** What is sent again and again. It is compressed when it is first asked for so. */
export type Compressible = { content: string | Buffer; compressed: Map<string, Buffer> };

const compressors: Readonly<Record<string, (content: string | Buffer) => Buffer>> = {
  br: (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (content) => gzipSync(content),
};

/**
 * Returns it in the best encoding that the reader accepts, which a header of the answer names. The
 * answer must vary by it.
 */
export function inEncoding(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { content, compressed }: Compressible,
): string | Buffer {
  const accepted = [headers["accept-encoding"]].flat().join(",");
  const encoding = ["br", "gzip"].find((one) => accepted.includes(one));
  const compress = encoding === undefined ? undefined : compressors[encoding];
  if (encoding === undefined || !compress) return content;
  const body = compressed.get(encoding) ?? compress(content);
  compressed.set(encoding, body);
  reply.header("content-encoding", encoding);
  return body;
}

/**
 * A hook that compresses a page for a sandbox's developer. Customers' pages are sent as they are,
 * because their compressed size could give away the secret of a form (BREACH).
 */
export async function compressPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: unknown,
): Promise<unknown> {
  if (typeof page !== "string") return page;
  reply.header("vary", "accept-encoding");
  return inEncoding(request, reply, { content: page, compressed: new Map() });
}

import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** What is sent again and again. It is compressed when it is first asked for so. */
export type Compressible = { content: string | Buffer; compressed: Map<string, Buffer> };

const compressors: Readonly<Record<string, (content: string | Buffer) => Buffer>> = {
  br: (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (content) => gzipSync(content),
};

/** Sends it in the best encoding that the reader accepts. The answer must vary by it. */
export function sendCompressed(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { content, compressed }: Compressible,
): FastifyReply {
  const accepted = [headers["accept-encoding"]].flat().join(",");
  const encoding = ["br", "gzip"].find((one) => accepted.includes(one));
  const compress = encoding === undefined ? undefined : compressors[encoding];
  if (encoding === undefined || !compress) return reply.send(content);
  const body = compressed.get(encoding) ?? compress(content);
  compressed.set(encoding, body);
  return reply.header("content-encoding", encoding).send(body);
}

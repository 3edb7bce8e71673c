import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

const pieceBytes = 65_536;

/**
 * Sends a document piece by piece, as the peer reads it. If it were sent as a whole, it would wait
 * in memory, encrypted for each TLS connection, for peers that never read.
 */
export function sendDocument(reply: FastifyReply, document: Buffer): FastifyReply {
  return reply.header("content-length", document.length).send(Readable.from(pieces(document)));
}

function* pieces(document: Buffer): Generator<Buffer> {
  for (let at = 0; at < document.length; at += pieceBytes) {
    yield document.subarray(at, at + pieceBytes);
  }
}

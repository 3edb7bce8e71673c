import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { refusal } from "./api-error.ts";
import type { StreamVerifier } from "./jws.ts";
import { bodyChunks } from "./request-body.ts";

/** A request's body as it comes in: what an operation with `upload` is given. */
export type IncomingFile = {
  /** As it was sent, parameters and all. */
  contentType: string;
  /**
   * The bytes, once. Reading them to the end judges them: throws 413 for too many, U010 for none or
   * when they break off, U015 when the signature is not theirs. Nothing that was read may last
   * unless the end was reached.
   */
  chunks(): AsyncGenerator<Buffer, void>;
  /** Reads what is left, and judges it; at the end already, it does nothing. */
  finish(): Promise<void>;
  /** SHA-256 of the bytes, base64url; only at the end. */
  sha256(): string;
};

/** How much is taken in, and who says whether it is signed. */
export type IncomingFileOptions = { limitBytes: number; verifier: StreamVerifier | null };

/** Makes a request's body a file that comes in; nothing is read yet. */
export function receiveFile(
  request: IncomingMessage,
  { limitBytes, verifier }: IncomingFileOptions,
): IncomingFile {
  const hash = createHash("sha256");
  const incoming = bodyChunks(request, limitBytes);
  let digest: string | undefined;
  let failure: unknown;
  let size = 0;

  async function next(): Promise<Buffer | null> {
    const { done, value } = await incoming.next();
    if (!done) {
      size += value.length;
      hash.update(value);
      verifier?.update(value);
      return value;
    }
    verifier?.finish();
    if (size === 0) throw refusal("U010", undefined, "The body is empty: send the file.");
    digest = hash.digest("base64url");
    return null;
  }

  async function* chunks(): AsyncGenerator<Buffer, void> {
    // not `for await`: a reader that leaves off must not close what `finish` goes on with
    while (digest === undefined) {
      if (failure) throw failure;
      const chunk = await next().catch((error: unknown) => {
        failure = error;
        throw error;
      });
      if (chunk) yield chunk;
    }
  }

  return {
    contentType: request.headers["content-type"] ?? "",
    chunks,
    async finish() {
      for await (const _ of chunks());
    },
    sha256() {
      if (digest === undefined) throw new Error("a file is hashed when all of it is there");
      return digest;
    },
  };
}

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { refusal } from "#src/http/api-error.ts";
import type { StreamVerifier } from "#src/http/signature/jws.ts";
import { bodyChunks } from "./request-body.ts";
import { spool } from "./spool.ts";
import type { UploadShare } from "./upload-quota.ts";

/** A request's complete body whose signature is valid. Operations with `upload` receive it. */
export type IncomingFile = {
  /** As it was sent, with its parameters. */
  contentType: string;
  /** SHA-256 of the bytes, base64url. */
  sha256: string;
  /** The bytes, once. */
  chunks(): AsyncIterable<Buffer>;
  /** Releases disk and quota, whether or not the bytes were read. */
  discard(): Promise<void>;
};

/** The size limit, the check of the signature, and where the body waits until then. */
type IncomingFileOptions = {
  limitBytes: number;
  verifier: StreamVerifier | null;
  share: UploadShare | null;
  /** The system's temporary folder by default. */
  folder?: string | undefined;
};

/**
 * Receives a request's body and checks it. Throws 413 if there are too many bytes, U010 if the body
 * is empty or incomplete, and U015 if the signature is wrong. Until it resolves, the bytes are only
 * in memory or in a nameless file on this machine. If it throws, nothing is left.
 */
export async function receiveFile(
  request: IncomingMessage,
  { limitBytes, verifier, share, folder }: IncomingFileOptions,
): Promise<IncomingFile> {
  const hash = createHash("sha256");
  try {
    const spooled = await spool(
      bodyChunks(request, limitBytes),
      (chunk) => {
        share?.take(chunk.length);
        hash.update(chunk);
        verifier?.update(chunk);
      },
      folder,
    );
    const file: IncomingFile = {
      contentType: request.headers["content-type"] ?? "",
      sha256: hash.digest("base64url"),
      chunks: () => spooled.read(),
      async discard() {
        share?.release();
        await spooled.discard();
      },
    };
    try {
      verifier?.finish();
      if (spooled.size === 0) throw refusal("U010", undefined, "The body is empty: send the file.");
    } catch (error) {
      await file.discard();
      throw error;
    }
    return file;
  } catch (error) {
    share?.release();
    throw error;
  }
}

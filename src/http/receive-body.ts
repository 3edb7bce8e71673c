import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Access } from "#src/http/access/access.ts";
import { SlowBody } from "#src/http/connection/connections.ts";
import { essenceOf } from "#src/http/headers/request-headers.ts";
import {
  isSigned,
  type SignatureExpectation,
  type StreamVerifier,
  signatureHeader,
  verifyDetached,
  verifyStream,
} from "#src/http/signature/jws.ts";
import { present } from "#src/lib/assert.ts";
import { ApiError, refusal } from "./api-error.ts";
import { spool } from "./body/spool.ts";
import type { UploadShare } from "./body/upload-quota.ts";
import { findUnstorable } from "./hostile-text.ts";
import { parseJsonObject } from "./json-object.ts";
import type { HttpKit } from "./kit.ts";
import type { ArrivedRequest, IncomingFile, Operation, ReceivedParts } from "./operation.ts";

/** The dependencies of receiving a body. */
export type BodyState = {
  operation: Operation;
  kit: HttpKit;
  request: FastifyRequest;
  input: ArrivedRequest & ReceivedParts;
};

/**
 * Receives the body of an admitted caller: reads it, verifies its signature if the operation is
 * signed, and parses it. A file is received piece by piece, verified as it comes and not parsed.
 * Source: P-031…P-041, P-058, P-059.
 */
export async function receiveBody(state: BodyState & { access: Access }): Promise<void> {
  const { operation, kit, request, input } = state;
  if (operation.upload) return receiveUpload(state);
  const bytes = await readBody(request.raw, kit.bodyLimit);
  input.bytes = bytes;
  if (input.headers["content-length"] === undefined) {
    kit.admission?.spend(request.raw, bytes.length);
  }
  if (isSigned(operation, input.headers)) {
    await verifyDetached(input.headers[signatureHeader], bytes, expectationOf(state));
  }
  input.body = parseBody(bytes);
}

async function receiveUpload(state: BodyState & { access: Access }): Promise<void> {
  const { operation, kit, request, input, access } = state;
  const { limitBytes } = present(operation.upload, "an upload");
  const contentType = essenceOf(input.headers["content-type"] as string); // checked before
  const expectation = { ...expectationOf(state), contentType };
  const verifier = isSigned(operation, input.headers)
    ? await verifyStream(input.headers[signatureHeader], expectation)
    : null;
  const announced = Number(input.headers["content-length"] ?? 0);
  const share = kit.uploads?.begin(access.clientId, Math.min(announced, limitBytes));
  const options = { limitBytes, verifier, share: share ?? null, folder: kit.spoolFolder };
  input.file = await receiveFile(request.raw, options);
}

function expectationOf({
  kit,
  request,
  input,
  access,
}: BodyState & { access: Access }): SignatureExpectation {
  return {
    organisationId: access.organisationId,
    softwareId: access.softwareId,
    certificateSubject: kit.certificateSubjectOf(request.raw),
    trustAnchors: kit.trustAnchors,
    bankTime: input.now.epochMilliseconds / 1000,
    realTime: Date.now() / 1000, // the TPP's clock knows nothing of a sandbox's
    loadKeys: (kid) => kit.loadClientKeys(access.clientId, access.jwksVersion, kid),
  };
}

/** The largest JSON body of a request, in bytes. */
export const bodyLimitBytes = 131_072;

/** Reads the exact bytes of a body. Throws 413 if there are more than `limit`. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bodyChunks(request, limit)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** The bytes of a body as they arrive. Throws 413 if there are more than `limit`. */
async function* bodyChunks(request: IncomingMessage, limit: number): AsyncGenerator<Buffer, void> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  let size = 0;
  const chunks = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Buffer>;
    try {
      next = await chunks.next();
    } catch (error) {
      if (error instanceof SlowBody) throw tooSlow(error);
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

const tooSlow = ({ message }: SlowBody): ApiError =>
  new ApiError(408, [{ code: "U010", message }], { connection: "close" });

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
async function receiveFile(
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

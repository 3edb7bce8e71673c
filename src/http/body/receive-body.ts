import type { FastifyRequest } from "fastify";
import type { Access } from "#src/http/access/access.ts";
import { essenceOf } from "#src/http/headers/request-headers.ts";
import type { HttpKit } from "#src/http/kit.ts";
import type { ArrivedRequest, Operation, ReceivedParts } from "#src/http/operation.ts";
import {
  isSigned,
  type SignatureExpectation,
  signatureHeader,
  verifyDetached,
  verifyStream,
} from "#src/http/signature/jws.ts";
import { present } from "#src/lib/assert.ts";
import { receiveFile } from "./incoming-file.ts";
import { parseBody, readBody } from "./request-body.ts";

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

import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { assert, present } from "#src/lib/assert.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { type Access, type AccessRow, judgeAccess, loadAccess } from "./access.ts";
import { ApiError, bareRefusal } from "./api-error.ts";
import { idempotencyHeader, takeIdempotencyKey } from "./idempotency.ts";
import { receiveFile } from "./incoming-file.ts";
import { interactionHeader, malformedInteractionId, takeInteractionId } from "./interaction-id.ts";
import { type SignatureExpectation, signatureHeader, verifyDetached, verifyStream } from "./jws.ts";
import type { HttpKit } from "./kit.ts";
import { type OperationReply, type OperationRequest, OutgoingFile } from "./operation.ts";
import { parseBody, readBody } from "./request-body.ts";
import { checkAccept, checkContentType, checkHeaderSyntax, essenceOf } from "./request-headers.ts";
import type { Route } from "./route.ts";
import { spool } from "./spool.ts";
import { TokenRefusal } from "./token-refusal.ts";
import { refuseUnavailable } from "./unavailable-answer.ts";

const noBytes = Buffer.alloc(0);
const jsonType = "application/json; charset=utf-8";

/** One request on its way through the checks to the handler, and its answer on the way back. */
export class Exchange {
  readonly #route: Route;
  readonly #kit: HttpKit;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #startedAt = performance.now();
  #interactionId = "";
  #idMalformed = false;
  #admitted: Access | null = null;

  readonly #fault: ApiError | null;

  /** `fault` is what the edge has found wrong with the request: it is answered before all else. */
  constructor(
    route: Route,
    kit: HttpKit,
    request: FastifyRequest,
    reply: FastifyReply,
    fault: ApiError | null = null,
  ) {
    this.#fault = fault;
    this.#route = route;
    this.#kit = kit;
    this.#request = request;
    this.#reply = reply;
  }

  /** Serves the request; never throws, and never answers in anybody else's words. */
  async run(): Promise<FastifyReply> {
    const { api } = this.#route.operation;
    const id = takeInteractionId(this.#request.headers[interactionHeader], api.interactionIds);
    this.#interactionId = id.value;
    this.#idMalformed = id.malformed;
    this.#reply.header(interactionHeader, id.value).header("cache-control", "no-store");
    let answer: OperationReply;
    let payload: Buffer | Readable | undefined;
    try {
      answer = await this.#answer();
      payload = await this.#finish(answer);
    } catch (error) {
      answer = this.#refuse(error);
      payload = await this.#finish(answer).catch((failure: unknown) => {
        this.#request.log.error({ err: failure, interactionId: id.value }, "unsigned answer");
        return undefined;
      });
    }
    this.#reply.code(answer.status);
    if (answer.headers) this.#reply.headers(answer.headers);
    if (payload !== undefined) {
      const { body } = answer;
      const contentType = body instanceof OutgoingFile ? body.contentType : jsonType;
      this.#reply.header("content-type", contentType);
    }
    this.#record(answer.status);
    return this.#reply.send(payload);
  }

  async #answer(): Promise<OperationReply> {
    const { operation } = this.#route;
    if (this.#fault) throw this.#fault;
    // v3.1 judges this header with the others, after the token
    if (this.#idMalformed && operation.api.interactionIds !== "printable") {
      throw malformedInteractionId(operation.api.interactionIds);
    }
    const input = this.#input();
    if (input.credentials.tokenHash === null) {
      throw this.#withoutToken(input);
    }
    if (operation.access === "loaded") {
      const { credentials, now } = input;
      const statement = operation.load?.(input) ?? loadAccess(credentials);
      const [row] = await this.#kit.database.read<AccessRow>(statement);
      input.loaded = row ?? null;
      input.access = judgeAccess(row, credentials, operation, now);
      this.#afterAccess(input.access, input);
      if (operation.upload) return this.#takeFile(input, input.access);
      if (this.#route.takesBody) await this.#takeBody(input, input.access);
    }
    const answer = await operation.handle(input);
    assert(this.#admitted, `${operation.operationId} checked who calls`);
    return answer;
  }

  // who sends no token is told no error. Source: RFC 6750 section 3.1.
  #withoutToken({ credentials, headers }: OperationRequest): ApiError {
    if (headers.authorization !== undefined) return new TokenRefusal("tokenMalformed", credentials);
    return bareRefusal(401, { "www-authenticate": "Bearer" });
  }

  async #takeFile(input: OperationRequest, access: Access): Promise<OperationReply> {
    const { operation } = this.#route;
    const { limitBytes } = present(operation.upload, "an upload");
    const contentType = essenceOf(input.headers["content-type"] as string); // judged before
    const expectation = { ...this.#expectation(input, access), contentType };
    const verifier = operation.signed
      ? await verifyStream(input.headers[signatureHeader], expectation)
      : null;
    const announced = Number(input.headers["content-length"] ?? 0);
    const share = this.#kit.uploads?.begin(access.clientId, Math.min(announced, limitBytes));
    const folder = this.#kit.spoolFolder;
    const options = { limitBytes, verifier, share: share ?? null, folder };
    const file = await receiveFile(this.#request.raw, options);
    input.file = file;
    try {
      return await operation.handle(input);
    } finally {
      await file.discard();
    }
  }

  #input(): OperationRequest {
    const { raw, params, query, headers } = this.#request;
    const kit = this.#kit;
    const base = kit.arrivedOverMtls(raw) ? kit.mtlsUrl : kit.publicUrl;
    const input: OperationRequest = {
      access: null,
      loaded: null,
      credentials: kit.credentialsOf(raw),
      params: params as OperationRequest["params"], // what Fastify's router gives
      query: query as OperationRequest["query"], // what Fastify's query parser gives
      headers,
      rawBody: noBytes,
      body: undefined,
      file: null,
      interactionId: this.#interactionId,
      idempotencyKey: null,
      baseUrl: base + this.#route.operation.api.basePath,
      selfUrl: base + escapeStray(withoutLastSlash(this.#request.originalUrl)),
      now: kit.clock.now(),
      afterAccess: (access) => this.#afterAccess(access, input),
    };
    return input;
  }

  #afterAccess(access: Access, input: OperationRequest): void {
    this.#admitted = access;
    const { operation, buckets, takesBody } = this.#route;
    if (buckets !== null) {
      const decision = buckets.take(access.clientId, input.now.epochMilliseconds);
      this.#reply.headers(buckets.headers(decision));
      if (!decision.allowed) throw bareRefusal(429, { "retry-after": String(decision.seconds) });
    }
    checkAccept(input.headers.accept as string | undefined, operation.success.contentTypes);
    if (takesBody) {
      const contentType = input.headers["content-type"] as string | undefined;
      checkContentType(contentType, operation.upload?.contentTypes);
    }
    if (this.#idMalformed) throw malformedInteractionId(operation.api.interactionIds);
    checkHeaderSyntax(input.headers);
    if (operation.idempotent) {
      input.idempotencyKey = takeIdempotencyKey(input.headers[idempotencyHeader]);
    }
  }

  async #takeBody(input: OperationRequest, access: Access): Promise<void> {
    input.rawBody = await readBody(this.#request.raw, this.#kit.bodyLimit);
    if (this.#route.operation.signed) {
      const expectation = this.#expectation(input, access);
      await verifyDetached(input.headers[signatureHeader], input.rawBody, expectation);
    }
    input.body = parseBody(input.rawBody);
  }

  #expectation(input: OperationRequest, access: Access): SignatureExpectation {
    const kit = this.#kit;
    return {
      organisationId: access.organisationId,
      softwareId: access.softwareId,
      certificateSubject: kit.certificateSubjectOf(this.#request.raw),
      trustAnchors: kit.trustAnchors,
      bankTime: input.now.epochMilliseconds / 1000,
      realTime: Date.now() / 1000, // the TPP's clock knows nothing of a sandbox's
      loadKeys: () => kit.loadClientKeys(access.clientId, access.jwksVersion),
    };
  }

  /** The bytes of an answer, signed when the operation's are. */
  async #finish(answer: OperationReply): Promise<Buffer | Readable | undefined> {
    const { body } = answer;
    if (body === null) return undefined;
    if (body instanceof OutgoingFile) return this.#finishFile(body);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    // encoded once: as a string it would be measured first and encoded when it is written
    const bytes = Buffer.from(text);
    if (!this.#route.operation.signed) return bytes;
    this.#reply.header(signatureHeader, await this.#kit.signer.sign(bytes));
    return bytes;
  }

  async #finishFile({ contentType, chunks }: OutgoingFile): Promise<Readable> {
    const essence = essenceOf(contentType);
    checkAccept(this.#request.headers.accept, [essence]);
    const signer = this.#route.operation.signed ? this.#kit.signer.signStream(essence) : null;
    const spooled = await spool(chunks, (chunk) => signer?.update(chunk), this.#kit.spoolFolder);
    if (signer) this.#reply.header(signatureHeader, signer.finish());
    this.#reply.header("content-length", String(spooled.size));
    return spooled.read();
  }

  #refuse(error: unknown): OperationReply {
    const { api, operationId } = this.#route.operation;
    let refusal: ApiError;
    if (error instanceof ApiError) {
      refusal = error;
      if (error.status === 401) this.#kit.metrics.tokenFailed(api.id);
      const signatureFault = error.faults.find(({ code }) => /^U01[5-9]$/.test(code));
      if (signatureFault) this.#kit.metrics.signatureFailed(signatureFault.code);
    } else {
      const interactionId = this.#interactionId;
      this.#request.log.error({ err: error, operation: operationId, interactionId }, "failed");
      const unavailable = unavailableOf(error);
      const message = "The bank failed. Quote the interaction id when you report it.";
      refusal = unavailable
        ? refuseUnavailable(unavailable)
        : new ApiError(500, [{ code: "U000", message }]);
    }
    const body = refusal.faults.length > 0 ? api.renderError(refusal, this.#interactionId) : null;
    const headers = { ...refusal.headers };
    if (refusal instanceof TokenRefusal) {
      headers["www-authenticate"] = refusal.challenge(this.#kit.profile);
    }
    return { status: refusal.status, body, headers };
  }

  #record(status: number): void {
    const milliseconds = performance.now() - this.#startedAt;
    this.#route.observe(status, milliseconds / 1000);
    this.#request.log.info(
      {
        method: this.#route.operation.method,
        route: this.#route.path,
        status,
        milliseconds: Math.round(milliseconds * 10) / 10,
        interactionId: this.#interactionId,
        clientId: this.#admitted?.clientId,
      },
      "answered",
    );
  }
}

function withoutLastSlash(url: string): string {
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  return path.endsWith("/") ? path.slice(0, -1) + url.slice(path.length) : url;
}

// What a client can send in a URL although no URI may hold it: links must be URIs. Node lets
// visible ASCII through and nothing else.
const stray = /[^\w\-.~:/?@!$&'()*+,;=%]/g;

const escapeStray = (url: string): string =>
  url.replace(stray, (text) => `%${text.charCodeAt(0).toString(16).toUpperCase()}`);

import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { checkAccept, essenceOf, interactionIdOf } from "#src/http/headers/request-headers.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";
import { TokenRefusal } from "./access/token-refusal.ts";
import { type Admitted, type ArrivedState, admit } from "./admit.ts";
import { ApiError } from "./api-error.ts";
import { spool } from "./body/spool.ts";
import type { HttpKit } from "./kit.ts";
import { type ArrivedRequest, type OperationReply, OutgoingFile } from "./operation.ts";
import { refusalOf } from "./refusal/unavailable-answer.ts";
import type { Route } from "./route.ts";
import { isSigned, signatureCodes, signatureHeader } from "./signature/jws.ts";

/** The media type of bodies that are not files. */
export const jsonType = "application/json; charset=utf-8";

/** One request and its response, on the way through the checks to the handler and back. */
export class Exchange {
  readonly #route: Route;
  readonly #kit: HttpKit;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #startedAt = performance.now();
  #interactionId = "";
  #isIdMalformed = false;
  #state: (ArrivedState & Partial<Admitted>) | null = null;
  #error: unknown = null;
  #refusedAt: number | null = null;

  readonly #fault: ApiError | null;

  /** `fault` is a fault that the listener found in the request. It is reported before any other. */
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

  /** Serves the request. Never throws, and always responds in the version's own format. */
  async run(): Promise<FastifyReply> {
    const { headers } = this.#route.operation.api;
    const id = interactionIdOf(this.#request, this.#reply, headers.interactionId);
    this.#interactionId = id.value;
    this.#isIdMalformed = id.malformed;
    this.#reply.header("cache-control", "no-store");
    let answer: OperationReply;
    let payload: Buffer | Readable | undefined;
    try {
      answer = await this.#answer();
      payload = await this.#finish(answer);
    } catch (error) {
      ({ answer, payload } = await this.#finishRefusal(error));
    }
    this.#reply.code(answer.status);
    if (answer.headers) this.#reply.headers(answer.headers);
    if (payload !== undefined) {
      const { body } = answer;
      const contentType = body instanceof OutgoingFile ? body.contentType : jsonType;
      this.#reply.header("content-type", contentType);
    }
    this.#record(answer, payload);
    return this.#reply.send(payload);
  }

  async #answer(): Promise<OperationReply> {
    const { operation, steps } = this.#route;
    if (this.#fault) throw this.#fault;
    const state = this.#begin();
    this.#state = state;
    try {
      return await operation.handle(await admit(steps, state));
    } finally {
      if (state.input.file) await state.input.file.discard();
    }
  }

  #begin(): ArrivedState {
    const { raw, params, query, headers } = this.#request;
    const kit = this.#kit;
    const { operation } = this.#route;
    const base = kit.arrivedOverMtls(raw) ? kit.mtlsUrl : kit.publicUrl;
    const credentials = kit.credentialsOf(raw);
    const now = kit.clock.now();
    const input = {
      credentials,
      params: params as ArrivedRequest["params"], // what Fastify's router gives
      query: query as ArrivedRequest["query"], // what Fastify's query parser gives
      headers,
      body: undefined,
      bytes: null,
      file: null,
      interactionId: this.#interactionId,
      idempotencyKey: null,
      baseUrl: base + operation.api.basePath,
      selfUrl: base + escapeStray(withoutLastSlash(this.#request.originalUrl)),
      now,
      passed: [],
    };
    return {
      operation,
      buckets: this.#route.buckets,
      kit,
      request: this.#request,
      reply: this.#reply,
      input,
      credentials,
      now,
      isIdMalformed: this.#isIdMalformed,
    };
  }

  get #isSigned(): boolean {
    return isSigned(this.#route.operation, this.#request.headers);
  }

  /** The bytes of a response, signed if the operation is. */
  async #finish(answer: OperationReply): Promise<Buffer | Readable | undefined> {
    const { body } = answer;
    if (body === null) return undefined;
    if (body instanceof OutgoingFile) return this.#finishFile(body);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    // encoded once: a string would be measured first and encoded again when it is written
    const bytes = Buffer.from(text);
    if (!this.#isSigned) return bytes;
    this.#reply.header(signatureHeader, await this.#kit.signer.sign(bytes));
    return bytes;
  }

  /** Makes the response to an error. If the bank cannot sign now, it is a 503 without a body. */
  async #finishRefusal(error: unknown): Promise<Finished> {
    const answer = this.#refuse(error);
    if (isSignerDown(error)) return { answer, payload: undefined };
    try {
      return { answer, payload: await this.#finish(answer) };
    } catch (failure) {
      if (isSignerDown(failure)) return { answer: this.#refuse(failure), payload: undefined };
      const interactionId = this.#interactionId;
      this.#request.log.error({ err: failure, interactionId }, "unsigned answer");
      return { answer, payload: undefined };
    }
  }

  async #finishFile({ contentType, chunks }: OutgoingFile): Promise<Readable> {
    const essence = essenceOf(contentType);
    checkAccept(this.#request.headers.accept, [essence]);
    const signer = this.#isSigned ? this.#kit.signer.signStream(essence) : null;
    const spooled = await spool(chunks, (chunk) => signer?.update(chunk), this.#kit.spoolFolder);
    if (signer) this.#reply.header(signatureHeader, await signer.finish());
    this.#reply.header("content-length", String(spooled.size));
    return spooled.read();
  }

  #refuse(error: unknown): OperationReply {
    const { api, operationId } = this.#route.operation;
    this.#error = error;
    this.#refusedAt ??= performance.now();
    let refusal: ApiError;
    if (error instanceof ApiError) {
      refusal = error;
      if (error.status === 401) this.#kit.metrics.tokenFailed(api.id);
      const signatureFault = error.faults.find(({ code }) => signatureCodes.has(code));
      if (signatureFault) this.#kit.metrics.signatureFailed(signatureFault.code);
    } else {
      refusal = refusalOf(error);
      if (refusal.status >= 500) {
        const interactionId = this.#interactionId;
        this.#request.log.error({ err: error, operation: operationId, interactionId }, "failed");
      }
    }
    const { errors } = api;
    const isExplained = refusal.faults.length > 0 && errors.withBody.has(refusal.status);
    const body = isExplained ? errors.render(refusal, this.#interactionId) : null;
    const headers = { ...refusal.headers };
    if (refusal instanceof TokenRefusal) {
      headers["www-authenticate"] = refusal.challenge(this.#kit);
    }
    return { status: refusal.status, body, headers };
  }

  #record(answer: OperationReply, payload: Finished["payload"]): void {
    const { status } = answer;
    const startedAt = this.#startedAt;
    const milliseconds = performance.now() - startedAt;
    this.#route.observe(status, milliseconds / 1000);
    this.#request.log.info(
      {
        method: this.#route.operation.method,
        route: this.#route.path,
        status,
        milliseconds: Math.round(milliseconds * 10) / 10,
        interactionId: this.#interactionId,
        clientId: this.#state?.access?.clientId,
      },
      "answered",
    );
    this.#kit.record?.({
      request: this.#request,
      reply: this.#reply,
      operation: this.#route.operation,
      interactionId: this.#interactionId,
      status,
      milliseconds,
      startedAt,
      input: this.#state?.input ?? null,
      access: this.#state?.access ?? null,
      answer,
      payload,
      error: this.#error,
      refusedAt: this.#refusedAt,
    });
  }
}

/** A response, and its bytes if it has any. */
type Finished = { answer: OperationReply; payload: Buffer | Readable | undefined };

const isSignerDown = (error: unknown): boolean => unavailableOf(error)?.part === "signer";

function withoutLastSlash(url: string): string {
  const end = url.indexOf("?");
  const path = end < 0 ? url : url.slice(0, end);
  return path.endsWith("/") ? path.slice(0, -1) + url.slice(path.length) : url;
}

// Characters that a client can send in a URL although a URI must not contain them; links must be
// URIs. Node accepts only visible ASCII.
const stray = /[^\w\-.~:/?@!$&'()*+,;=%]/g;

const escapeStray = (url: string): string =>
  url.replace(stray, (text) => `%${text.charCodeAt(0).toString(16).toUpperCase()}`);

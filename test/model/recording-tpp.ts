import { decodeJwt } from "jose";
import { type Answer, type Call as Sent, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppBank, TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { Ending, OperationName, Operations } from "./calls.ts";
import type { History } from "./history.ts";
import { hashOf, type ReadRequest, readRequest } from "./read-call.ts";

/** A TPP whose calls are recorded in a history. */
export class RecordingTpp extends TppClient {
  readonly history: History;

  constructor(bank: TppBank, tpp: TppCredentials, history: History) {
    super(bank, tpp);
    this.history = history;
  }

  override async call<Body = unknown>(sent: Sent): Promise<Answer<Body>> {
    const { method = sent.body === undefined ? "GET" : "POST", path, token = null, body } = sent;
    const key = sent.idempotencyKey ?? null;
    const request = readRequest({ method, url: this.#urlOf(path), token, key, body });
    return this.#record(request, () => super.call<Body>(sent));
  }

  override tokenAnswer(parameters: Record<string, string>): Promise<Answer> {
    const { grant_type: grant = "", code, refresh_token: refresh } = parameters;
    const by = code ?? refresh ?? null;
    const asked = { grant, by: by && hashOf(by) };
    return this.#record({ operation: "token", asked, tell: tellToken }, () =>
      super.tokenAnswer(parameters),
    );
  }

  /** Records the decision of a customer, which somebody else sends to the bank. */
  async decide<T>(consentId: string, approves: boolean, send: () => Promise<T>): Promise<T> {
    return this.#byOther("decide", { consentId, approves }, send);
  }

  /** Records the end of a consent, which somebody else tells the bank. */
  async revoke<T>(consentId: string, send: () => Promise<T>): Promise<T> {
    return this.#byOther("revoke", { consentId }, send);
  }

  async #byOther<T, Name extends "decide" | "revoke">(
    operation: Name,
    asked: Operations[Name]["asked"],
    send: () => Promise<T>,
  ): Promise<T> {
    const end = this.history.send(this.tpp.clientId, operation, asked);
    try {
      const result = await send();
      end({ outcome: "ok", told: {} } as Ending<Name>);
      return result;
    } catch (error) {
      end({ outcome: "unknown" });
      throw error;
    }
  }

  #urlOf(path: string): string {
    return path.startsWith("http") ? path : `/open-banking${path}`;
  }

  async #record<Body>(
    request: ReadRequest | null,
    send: () => Promise<Answer<Body>>,
  ): Promise<Answer<Body>> {
    if (!request) return send();
    const { clientId } = this.tpp;
    const end = this.history.send(clientId, request.operation, request.asked);
    try {
      const answer = await send();
      end(endingOf(request, answer));
      return answer;
    } catch (error) {
      end({ outcome: "unknown" });
      throw error;
    }
  }
}

/** Reads an answer. A 5xx leaves open whether the bank has done what was asked. */
function endingOf({ tell }: ReadRequest, { status, body }: Answer): Ending<OperationName> {
  if (status >= 200 && status < 300) return { outcome: "ok", told: tell(body) };
  if (status >= 500) return { outcome: "unknown" };
  const { Errors = [] } = (body ?? {}) as { Errors?: { ErrorCode: string }[] };
  return { outcome: "refused", reasons: { status, codes: Errors.map((one) => one.ErrorCode) } };
}

function tellToken(body: unknown) {
  const { access_token, id_token, expires_in } = body as Record<string, string>;
  const intent = id_token && decodeJwt(id_token).openbanking_intent_id;
  return {
    token: hashOf(access_token ?? ""),
    consentId: intent ? String(intent) : null,
    seconds: Number(expires_in),
  };
}

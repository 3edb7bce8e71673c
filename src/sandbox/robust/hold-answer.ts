import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { BankAnswer, SentAnswer } from "./misbehaviour.ts";

/**
 * Holds the answer to one call until `change` has seen it; null sends it as it is. One that is
 * written in pieces, such as a file, is not held.
 */
export function holdAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  change: (answer: BankAnswer) => Promise<SentAnswer | null>,
): void {
  const { writeHead, write, end } = response;
  const release = (): void => void Object.assign(response, { writeHead, write, end });
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    response.statusCode = status;
    setHeaders(
      response,
      (rest.find((one) => typeof one === "object") ?? {}) as OutgoingHttpHeaders,
    );
    return response;
  }) as ServerResponse["writeHead"];
  response.write = ((...given: Parameters<ServerResponse["write"]>) => {
    release();
    return response.write(...given);
  }) as ServerResponse["write"];
  response.end = ((...given: unknown[]) => {
    release();
    const [body] = given;
    const bytes =
      typeof body === "string" ? Buffer.from(body) : body instanceof Uint8Array ? body : null;
    const answer = {
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
      ),
      body: bytes === null ? "" : Buffer.from(bytes).toString(),
    };
    change(answer)
      .then((sent) => {
        if (sent) return sendAnswer(request, response, sent);
        response.end(bytes ?? undefined);
      })
      .catch((error: Error) => response.destroy(error));
    return response;
  }) as ServerResponse["end"];
}

function setHeaders(response: ServerResponse, headers: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value);
  }
}

/** Sends an answer, late or cut if it says so. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, delaySeconds, cut }: SentAnswer,
): Promise<void> {
  if (delaySeconds !== undefined) await untilLate(response, delaySeconds * 1000);
  if (cut === "before") return void request.socket.destroy();
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  const bytes = Buffer.from(body);
  setHeaders(response, { ...headers, "content-length": String(bytes.length) });
  response.statusCode = status;
  if (cut !== "inside") return void response.end(bytes);
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => request.socket.destroy());
}

/** Waits, but not for a client that has hung up. */
async function untilLate(response: ServerResponse, milliseconds: number): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  await delay(milliseconds, undefined, { signal: gone.signal }).catch(() => undefined);
}

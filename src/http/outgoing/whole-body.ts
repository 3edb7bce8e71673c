import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { limitConnecting } from "./guarded-connection.ts";

/** The limits of a request whose response is read whole. */
export type BodyLimits = {
  connectMs: number;
  totalMs: number;
  mostBytes: number;
  /** The message if the body is larger. */
  tooLarge: string;
};

type WholeBody = { body: Buffer; headers: IncomingHttpHeaders };

/** The response has another status than 200. */
export class UnexpectedStatus extends Error {
  readonly retryAfter: string | null;

  constructor({ statusCode, headers }: IncomingMessage) {
    super(`the status is ${statusCode}, not 200`);
    this.retryAfter = headers["retry-after"] ?? null;
  }
}

/**
 * Sends a request, and returns the body of its response. Rejects with an Error if the status is not
 * 200, a limit is exceeded, or the connection fails.
 */
export function wholeBodyOf(
  request: ClientRequest,
  { connectMs, totalMs, mostBytes, tooLarge }: BodyLimits,
  sent: Buffer | null = null,
): Promise<WholeBody> {
  return new Promise((resolve, reject) => {
    const stop = (error: Error): void => {
      reject(error);
      request.destroy();
    };
    limitConnecting(request, { connectMs, totalMs });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      if (response.statusCode !== 200) return stop(new UnexpectedStatus(response));
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) stop(new Error(tooLarge));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      return response.on("end", () =>
        resolve({ body: Buffer.concat(chunks), headers: response.headers }),
      );
    });
    request.on("close", () => reject(new Error("the connection was closed")));
    request.end(sent ?? undefined);
  });
}

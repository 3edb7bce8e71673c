// Requests whose connection the kit cuts, as a network does at the worst moment.
import * as http from "node:http";
import * as https from "node:https";
import { rootCertificates } from "node:tls";

/**
 * When a connection is cut: before the request, in the middle of its body, when the request has
 * been sent, or when the answer begins to arrive.
 */
export type Cut = "before" | "during" | "sent" | "answered";

/** Every way to cut a connection. */
export const cuts: readonly Cut[] = ["before", "during", "sent", "answered"];

/** The roots of the core's certificate, and the client's certificate and key; PEM texts. */
export type KitTls = { ca: string | null; cert: string | null; key: string | null };

type CutRequest = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  tls: KitTls;
  /** How long the answer is waited for before it is lost. */
  waitMs: number;
};

/** Sends a request by a connection of its own, and cuts the connection. Never rejects. */
export function sendAndCut(
  { url, headers, body, tls, waitMs }: CutRequest,
  cut: Cut,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isTls = url.protocol === "https:";
  const { ca, cert, key } = tls;
  const request = (isTls ? https : http).request(url, {
    method: "POST",
    agent: false,
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": String(body.length),
    },
    ...(isTls ? { ca: ca ?? [...rootCertificates], ...(cert && key ? { cert, key } : {}) } : {}),
  });
  const end = (): void => {
    request.destroy();
  };
  const timer = setTimeout(end, waitMs);
  request.on("error", () => undefined); // it is the purpose
  request.on("close", () => {
    clearTimeout(timer);
    resolve();
  });
  if (cut === "before") {
    request.on("socket", (socket) => socket.once(isTls ? "secureConnect" : "connect", end));
  } else if (cut === "during") {
    request.write(body.subarray(0, Math.floor(body.length / 2)), end);
  } else {
    request.on("response", end);
    request.end(body, cut === "sent" ? end : undefined);
  }
  return promise;
}

import assert from "node:assert/strict";
import { createHash, type KeyObject } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import type { Pair } from "#test/http/certificates.ts";

/** A bank's gateway in front of its core, which ends TLS and knows Aldgate. */
export type CoreGateway = {
  /** Where Aldgate calls the core. */
  url: string;
  /** Why it has refused requests that had a certificate. */
  refused: string[];
  /** From now on, answers only these paths with 503. */
  close503(...paths: string[]): void;
  close(): void;
};

/** The address of the core, the gateway's certificate, and what it knows of Aldgate. */
type GatewayOptions = {
  core: string;
  server: Pair;
  clientRoots: string;
  signedBy: KeyObject;
  /** What it does not check, to be found. */
  gap?: GatewayGap;
};

/** What a gateway can leave unchecked about its caller. */
export type GatewayGap = "certificate" | "presence" | "body" | "path" | "signature";

const signatureHeader = "aldgate-signature";

/**
 * Opens the gateway. It takes only connections with a certificate of these roots, and only requests
 * that Aldgate has signed: their method, their path and their body.
 */
export async function openCoreGateway(options: GatewayOptions): Promise<CoreGateway> {
  const { core, server: own, clientRoots, signedBy, gap } = options;
  const kid = await calculateJwkThumbprint(signedBy.export({ format: "jwk" }));
  const refused: string[] = [];
  let closed: string[] = [];

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request));
    const { method = "", url = "" } = request;
    const [path = ""] = url.split("?");
    try {
      await checkSignature(request, body);
    } catch (error) {
      refused.push(`${method} ${path}: ${(error as Error).message}`);
      return void response.writeHead(401).end();
    }
    if (closed.includes(path)) return void response.writeHead(503).end();
    const headers = { "content-type": "application/json", "aldgate-contract": "1" };
    const sent = method === "GET" ? {} : { body };
    const answer = await fetch(core + url, { method, headers, ...sent });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  async function checkSignature(request: IncomingMessage, body: Buffer): Promise<void> {
    const { [signatureHeader]: found } = request.headers;
    if (gap === "presence" && found === undefined) return;
    const jwt = String(found);
    const { payload, protectedHeader } =
      gap === "signature"
        ? { payload: decodeJwt(jwt), protectedHeader: decodeProtectedHeader(jwt) }
        : await jwtVerify(jwt, signedBy, { algorithms: ["PS256"] });
    const digest = createHash("sha256").update(body).digest("base64url");
    const wanted = {
      kid,
      htm: request.method,
      htu: gap === "path" ? payload.htu : request.url,
      digest: gap === "body" ? payload.digest : digest,
    };
    const { htm, htu } = payload;
    assert.deepEqual({ kid: protectedHeader.kid, htm, htu, digest: payload.digest }, wanted);
  }

  const hasGap = gap === "certificate";
  const server = createServer(
    { ...own, ca: clientRoots, requestCert: true, rejectUnauthorized: !hasGap },
    (request, response) => {
      // the core is not there
      pass(request, response).catch(() => response.writeHead(502).end());
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    refused,
    close503(...paths) {
      closed = paths;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

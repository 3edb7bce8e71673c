import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import type { FetchStatus } from "#src/certificates/revocation.ts";
import { type AddressGuard, addressOf } from "./address-guard.ts";
import { guardedLookup, limitConnecting, secureOptions } from "./guarded-connection.ts";

const connectMs = 5_000;
const totalMs = 20_000;
const mostBytes = 32 * 1024 * 1024;

/**
 * Creates the function that fetches revocation lists and asks OCSP responders. Their addresses come
 * from trusted certificates. http is allowed, because lists and responses are signed. It connects
 * only to addresses that the guard allows, does not follow redirects, and reads at most 32 MB. The
 * connection must be made within 5 s, and the response must be complete within 20 s.
 */
export function createStatusFetch(guard: AddressGuard, roots: string): FetchStatus {
  const secure = secureOptions(roots);
  const lookup = guardedLookup(guard);
  return (address, ocspRequest) => {
    const url = new URL(address);
    const host = addressOf(url.hostname);
    if (isIP(host) !== 0 && !guard.allows(host)) {
      return Promise.reject(new Error(`${host} is not a public address`));
    }
    const options = {
      agent: false as const,
      lookup,
      maxHeaderSize: 8_192,
      method: ocspRequest ? "POST" : "GET",
      headers: ocspRequest
        ? { "content-type": "application/ocsp-request", "content-length": ocspRequest.length }
        : {},
    };
    const isSecure = url.protocol === "https:";
    const request = isSecure
      ? https.request(url, { ...options, ...secure })
      : http.request(url, options);
    return bodyOf(request, ocspRequest);
  };
}

function bodyOf(request: http.ClientRequest, sent: Buffer | null): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    limitConnecting(request, { connectMs, totalMs });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      if (response.statusCode !== 200) {
        request.destroy(new Error(`the status is ${response.statusCode}, not 200`));
      }
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) request.destroy(new Error("the response is larger than 32 MB"));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => resolve(Buffer.concat(chunks)));
    });
    request.on("close", () => reject(new Error("the connection was closed")));
    request.end(sent ?? undefined);
  });
}

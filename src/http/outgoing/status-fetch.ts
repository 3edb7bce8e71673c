import * as http from "node:http";
import * as https from "node:https";
import type { AddressGuard } from "./address-guard.ts";
import {
  type BodyLimits,
  forbiddenAddress,
  guardedLookup,
  reasonOf,
  secureOptions,
  wholeBodyOf,
} from "./guarded-request.ts";

const times = { connectMs: 5_000, totalMs: 20_000 };
const listLimits: BodyLimits = {
  ...times,
  mostBytes: 32 * 1024 * 1024,
  tooLarge: "the list is larger than 32 MB",
};
const responseLimits: BodyLimits = {
  ...times,
  mostBytes: 64 * 1024,
  tooLarge: "the response is larger than 64 kB",
};

/**
 * Creates the function that fetches revocation lists and asks OCSP responders. Their addresses come
 * from trusted certificates. http is allowed, because lists and responses are signed. It connects
 * only to addresses that the guard allows, does not follow redirects, and reads at most 32 MB of a
 * list and 64 kB of a response. The connection must be made within 5 s, and the response must be
 * complete within 20 s.
 */
export function createStatusFetch(
  guard: AddressGuard,
  roots: string,
): (url: string, ocspRequest: Buffer | null) => Promise<Buffer> {
  let secure: ReturnType<typeof secureOptions> | undefined;
  const lookup = guardedLookup(guard);
  return (address, ocspRequest) => {
    const url = new URL(address);
    const mistake = forbiddenAddress(url, guard);
    if (mistake !== null) return Promise.reject(new Error(mistake));
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
    if (isSecure) secure ??= secureOptions(roots);
    const request = isSecure
      ? https.request(url, { ...options, ...secure })
      : http.request(url, options);
    return wholeBodyOf(request, ocspRequest ? responseLimits : listLimits, ocspRequest).then(
      ({ body }) => body,
      (error: Error) => {
        // a failure of all addresses of a name has no message of its own
        throw new Error(reasonOf(error), { cause: error });
      },
    );
  };
}

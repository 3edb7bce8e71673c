import * as http from "node:http";
import * as https from "node:https";
import type { AddressGuard } from "./address-guard.ts";
import {
  guardedLookup,
  limitConnecting,
  mistakeOf,
  reasonOf,
  secureOptions,
} from "./guarded-connection.ts";

/** A document that was fetched, or the reason why it could not be. */
export type Fetched =
  | { body: Buffer; maxAgeSeconds: number | null; reason: null }
  | { body: null; reason: string };

/** Fetches documents from servers that the bank does not control. */
export type Fetcher = {
  /** Fetches a document. Never throws. */
  get(url: string): Promise<Fetched>;
};

const connectMs = 2_000;
const totalMs = 5_000;
const mostBytes = 512 * 1024;

/**
 * Creates a fetcher. It connects only to addresses that the guard allows, verifies certificates
 * against the public roots and `roots`, does not follow redirects, and reads at most 512 kB. The
 * connection must be made within 2 s, and the response must be complete within 5 s. Source: R-120.
 */
export function createFetcher(guard: AddressGuard, roots: string): Fetcher {
  const secure = secureOptions(roots);
  const lookup = guardedLookup(guard);
  return {
    get(text) {
      const url = URL.parse(text);
      if (!url) return Promise.resolve(failed(`${text} is not a URL`));
      const mistake = mistakeOf(url, guard);
      if (mistake !== null) return Promise.resolve(failed(mistake));
      const options = {
        agent: false as const,
        lookup,
        maxHeaderSize: 8_192,
        headers: { accept: "application/jwk-set+json, application/json" },
      };
      const request =
        url.protocol === "https:"
          ? https.request(url, { ...options, ...secure })
          : http.request(url, options);
      return documentOf(request);
    },
  };
}

const failed = (reason: string): Fetched => ({ body: null, reason });

function documentOf(request: http.ClientRequest): Promise<Fetched> {
  return new Promise((resolve) => {
    limitConnecting(request, { connectMs, totalMs });
    request.on("error", (error) => resolve(failed(reasonOf(error))));
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const stop = (reason: string): void => {
        resolve(failed(reason));
        request.destroy();
      };
      if (response.statusCode !== 200) return stop(`the status is ${response.statusCode}, not 200`);
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) stop("the document is larger than 512 kB");
        else chunks.push(chunk);
      });
      response.on("error", (error) => resolve(failed(reasonOf(error))));
      return response.on("end", () =>
        resolve({
          body: Buffer.concat(chunks),
          maxAgeSeconds: maxAgeOf(response.headers["cache-control"]),
          reason: null,
        }),
      );
    });
    request.on("close", () => resolve(failed("the connection was closed")));
    request.end();
  });
}

function maxAgeOf(header: string | undefined): number | null {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

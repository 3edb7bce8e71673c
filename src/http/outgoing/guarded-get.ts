import * as http from "node:http";
import * as https from "node:https";
import type { AddressGuard } from "./address-guard.ts";
import { guardedLookup, mistakeOf, reasonOf, secureOptions } from "./guarded-connection.ts";
import { type BodyLimits, UnexpectedStatus, wholeBodyOf } from "./whole-body.ts";

/** A document that was fetched, or the reason why it could not be. */
type Fetched =
  | { body: Buffer; maxAgeSeconds: number | null; reason: null }
  | {
      body: null;
      reason: string;
      /** The Retry-After of a response with an error; null or absent without one. */
      retryAfter?: string | null;
    };

/** Fetches documents from servers that the bank does not control. */
export type Fetcher = {
  /** Fetches a document. Never throws. */
  get(url: string): Promise<Fetched>;
};

const limits: BodyLimits = {
  connectMs: 2_000,
  totalMs: 5_000,
  mostBytes: 512 * 1024,
  tooLarge: "the document is larger than 512 kB",
};

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

const failed = (reason: string) => ({ body: null, reason });

async function documentOf(request: http.ClientRequest): Promise<Fetched> {
  try {
    const { body, headers } = await wholeBodyOf(request, limits);
    return { body, maxAgeSeconds: maxAgeOf(headers["cache-control"]), reason: null };
  } catch (error) {
    const retryAfter = error instanceof UnexpectedStatus ? error.retryAfter : null;
    return { ...failed(reasonOf(error as Error)), retryAfter };
  }
}

function maxAgeOf(header: string | undefined): number | null {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

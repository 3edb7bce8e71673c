import * as http from "node:http";
import * as https from "node:https";
import type { AddressGuard } from "./address-guard.ts";
import {
  type ClientPair,
  guardedLookup,
  mistakeOf,
  reasonOf,
  secureOptions,
} from "./guarded-connection.ts";
import { type BodyLimits, UnexpectedStatus, wholeBodyOf } from "./whole-body.ts";

/** A document that was fetched, or the reason why it could not be. */
export type Fetched =
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

/** A request in the bank's own name. */
type OwnRequest = {
  client: ClientPair;
  /** The form to post; without one, the request is a GET. */
  form?: URLSearchParams;
  /** The access token. */
  token?: string;
};

/** A fetcher that can also prove who the bank is. */
export type OwnFetcher = Fetcher & {
  /** Fetches a document in the bank's own name, over mutual TLS. Never throws. */
  send(url: string, request: OwnRequest): Promise<Fetched>;
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
export function createFetcher(guard: AddressGuard, roots: string): OwnFetcher {
  const secure = secureOptions(roots);
  const lookup = guardedLookup(guard);
  async function fetch(text: string, own?: OwnRequest): Promise<Fetched> {
    const url = URL.parse(text);
    if (!url) return failed(`${text} is not a URL`);
    const isSecure = url.protocol === "https:";
    const mistake =
      own && !isSecure ? "the URL does not begin with https://" : mistakeOf(url, guard);
    if (mistake !== null) return failed(mistake);
    const { form, token, client } = own ?? {};
    const options = {
      agent: false as const,
      lookup,
      maxHeaderSize: 8_192,
      method: form ? "POST" : "GET",
      headers: {
        accept: "application/jwk-set+json, application/json",
        ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    };
    try {
      const request = isSecure
        ? https.request(url, { ...options, ...(client ? secureOptions(roots, client) : secure) })
        : http.request(url, options);
      return await documentOf(request, form);
    } catch (error) {
      return failed(reasonOf(error as Error));
    }
  }
  return { get: (url) => fetch(url), send: fetch };
}

const failed = (reason: string) => ({ body: null, reason });

async function documentOf(
  request: http.ClientRequest,
  form: URLSearchParams | undefined,
): Promise<Fetched> {
  try {
    const sent = form ? Buffer.from(form.toString()) : null;
    const { body, headers } = await wholeBodyOf(request, limits, sent);
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

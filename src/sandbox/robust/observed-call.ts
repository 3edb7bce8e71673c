import type { IncomingMessage } from "node:http";
import { credentialsOf } from "#src/http/connection/listeners.ts";
import {
  idempotencyHeader,
  interactionHeader,
  interactionIdOf,
} from "#src/http/headers/request-headers.ts";
import { isObject } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { printableInteractionId } from "#src/standard/shared/header-forms.ts";

/** A call of the client during a run, as the bank saw it. */
export type ObservedCall = {
  /** When it arrived, and when its answer was complete or the connection ended. */
  at: number;
  endedAt: number | null;
  method: string;
  path: string;
  query: string;
  interactionId: string | null;
  idempotencyKey: string | null;
  /** The hash of its token, and the thumbprint of its certificate. */
  token: string | null;
  certificate: string | null;
  /** Of a call to the token endpoint. */
  grantType: string | null;
  /** The consent and the instruction of an order, the latter as a hash; null if it has none. */
  consentId: string | null;
  instruction: string | null;
  /** The events that a poll acknowledges, and those that it refuses. */
  acknowledged: readonly string[];
  refused: readonly string[];
  /** What the bank answered; null if it has not carried the call out. */
  status: number | null;
  /** The id of the consent or the order that the bank has made. */
  madeId: string | null;
  /** Links.Next as it was sent. */
  next: string | null;
  /** Whether the client hung up before the answer was complete. */
  hungUp: boolean;
  /** Whether its answer had `Retry-After`. */
  sentRetryAfter: boolean;
  /** What was played on it. */
  played: string | null;
  /** The event, if it is a call of the bank to the client's URL; otherwise null. */
  pushed: PushedEvent | null;
};

/** An event that the bank sends to a client's URL. */
type PushedEvent = {
  jti: string;
  /** The id of what it is about. */
  resourceId: string | null;
  deliveries: Delivery[];
};

/** One time that an event was sent. */
export type Delivery = {
  endedAt: number | null;
  /** The answer of the URL; null without one, for this reason. */
  status: number | null;
  reason: string | null;
  /** What the client called meanwhile. */
  calls: ObservedCall[];
};

const longestBody = 65_536;

/** What the bank has not seen yet of a call. */
const unseen = {
  endedAt: null,
  idempotencyKey: null,
  token: null,
  certificate: null,
  grantType: null,
  consentId: null,
  instruction: null,
  acknowledged: [],
  refused: [],
  status: null,
  madeId: null,
  next: null,
  hungUp: false,
  sentRetryAfter: false,
  played: null,
  pushed: null,
} as const;

/** A call of the bank to a client's URL, with an event. */
export function pushedCall(given: {
  url: string;
  jti: string;
  resourceId: string | null;
  at: number;
}): ObservedCall {
  const { url, jti, resourceId, at } = given;
  const { pathname: path } = new URL(url);
  const pushed = { jti, resourceId, deliveries: [] };
  return { ...unseen, at, method: "POST", path, query: "", interactionId: jti, pushed };
}

/** Begins to observe a call. `whole` completes it from the body, which others read. */
export function observe(
  request: IncomingMessage,
  at: number,
): { call: ObservedCall; whole(): void } {
  const { method = "GET", url = "/", headers } = request;
  const { value } = interactionIdOf(request, null, printableInteractionId);
  const [path = "/", query = ""] = url.split("?", 2);
  const { tokenHash, certificateThumbprint } = credentialsOf(request);
  const call: ObservedCall = {
    ...unseen,
    at,
    method,
    path: path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path,
    query,
    interactionId: interactionHeader in headers ? value : null,
    idempotencyKey: textOrNull(headers[idempotencyHeader]),
    token: tokenHash,
    certificate: certificateThumbprint,
  };
  const chunks = method === "POST" ? tap(request) : [];
  return { call, whole: () => readBody(call, Buffer.concat(chunks).toString()) };
}

/** Copies the body of a request while others read it. */
function tap(request: IncomingMessage): Buffer[] {
  const chunks: Buffer[] = [];
  let length = 0;
  const push = request.push.bind(request);
  request.push = (chunk: unknown, encoding) => {
    if (chunk instanceof Uint8Array) length += chunk.length;
    if (chunk instanceof Uint8Array && length <= longestBody) chunks.push(Buffer.from(chunk));
    return push(chunk, encoding);
  };
  return chunks;
}

function readBody(call: ObservedCall, text: string): void {
  if (call.path === "/token") {
    call.grantType = new URLSearchParams(text).get("grant_type");
    return;
  }
  const body = objectOf(text);
  const { ConsentId, Initiation, Instruction } = (body?.Data ?? {}) as Record<string, unknown>;
  call.consentId = textOrNull(ConsentId);
  if (Initiation !== undefined && ConsentId !== undefined) {
    call.instruction = sha256(JSON.stringify([Initiation, Instruction ?? null]));
  }
  const { ack, setErrs } = (body ?? {}) as { ack?: unknown; setErrs?: unknown };
  if (Array.isArray(ack)) call.acknowledged = ack.filter((id) => typeof id === "string");
  if (typeof setErrs === "object" && setErrs !== null) call.refused = Object.keys(setErrs);
}

/** The object that a text is as JSON; null if it is none. */
export function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Whether a call creates a consent: most journeys begin with one. */
export const createsConsent = ({ method, path }: ObservedCall): boolean =>
  method === "POST" && /^\/api\/.*-consents$/.test(path);

/** Whether a call creates a payment consent. */
export const createsPaymentConsent = (call: ObservedCall): boolean =>
  createsConsent(call) && /\/pisp\//.test(call.path);

/** Whether a call submits an order. */
export const submitsOrder = ({ method, path }: ObservedCall): boolean =>
  method === "POST" && /\/pisp\/[a-z-]+s$/.test(path) && !path.endsWith("-consents");

/** Whether a call reads an order. */
export const readsOrder = ({ method, path }: ObservedCall): boolean =>
  method === "GET" && /\/pisp\/[a-z-]+s\/[^/]+$/.test(path) && !path.includes("-consents/");

/** Whether a call reads account data. */
export const readsAccounts = ({ method, path }: ObservedCall): boolean =>
  method === "GET" && /\/aisp\//.test(path) && !path.includes("-consents");

/** Whether a call reads a page of transactions. */
export const readsTransactions = (call: ObservedCall): boolean =>
  readsAccounts(call) && call.path.endsWith("/transactions");

/** Whether a call polls for events. */
export const polls = ({ method, path }: ObservedCall): boolean =>
  method === "POST" && /^\/api\/.*\/events$/.test(path);

/** Whether a call is the same as an earlier one, whatever its headers are. */
export const isSame = (one: ObservedCall, other: ObservedCall): boolean =>
  one.method === other.method &&
  one.path === other.path &&
  (one.method !== "GET" || one.query === other.query) &&
  one.grantType === other.grantType;

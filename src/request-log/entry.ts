/** One request of a TPP, as the log keeps it. */
export type LogEntry = {
  /** When it was answered, by the machine's clock, in milliseconds since 1970. */
  at: number;
  /** The same by the bank's clock, which is ahead in many sandboxes. */
  bankTime: number;
  milliseconds: number;
  interactionId: string;
  method: string;
  /** Without the query. */
  path: string;
  /** The API version; null outside the APIs and for a path that no API serves. */
  api: string | null;
  /** The operation, or the route outside the APIs; null if nothing serves the path. */
  operation: string | null;
  status: number;
  /** Of the token. Outside the APIs, the client that the request names, verified or not. */
  clientId: string | null;
  consentId: string | null;
  /** The order, or another resource that the path names or the answer created. */
  resourceId: string | null;
  /** The codes of the faults, or the reason of a refusal that has no code. */
  codes: readonly string[];
  idempotencyKey: string | null;
  /** Whether the answer repeats the one to an earlier request with the same key. */
  isReplay: boolean;
  /**
   * When each check was passed, in milliseconds since the request arrived, in their order; null for
   * a check that was not needed, and if no check began.
   */
  passed: readonly (number | null)[] | null;
  /**
   * When it was refused, in milliseconds since the request arrived. If it is missing, the time of
   * the answer counts.
   */
  refusedAfter?: number;
  /** What a sandbox played on the client in place of the bank's answer. */
  played?: PlayedOn;
};

/** A misbehaviour that a sandbox has played: its name, and what it is. */
type PlayedOn = { name: string; text: string };

/** The headers and bodies of a request and its answer, with secrets masked. */
export type LoggedBodies = {
  query: string;
  requestHeaders: Readonly<Record<string, string>>;
  /** Null without a body, and if it is not text. */
  request: string | null;
  /** If the bank has not read the body, the size that the request announces. */
  requestBytes: number;
  answerHeaders: Readonly<Record<string, string>>;
  answer: string | null;
  answerBytes: number;
  /** Why it was refused, if the answer is a page or a redirect, which the log does not keep. */
  refusal?: string;
};

/** What waits to be written: the entry, and a function that makes its bodies. */
export type WaitingEntry = {
  entry: LogEntry;
  isAnonymous: boolean;
  /** Null if bodies are not kept. */
  bodies: (() => LoggedBodies) | null;
  /** An estimate of the memory that it holds. */
  bytes: number;
};

const longestPath = 400;
/** The number of characters of an id that the log keeps. */
export const longestId = 128;

/** An id as the log keeps it; null if the value is not a text. */
export const idOrNull = (value: unknown): string | null =>
  typeof value === "string" ? value.slice(0, longestId) : null;

/** A URL's path as the log keeps it, and its query. */
export function splitUrl(url: string): { path: string; query: string } {
  const end = url.indexOf("?");
  if (end < 0) return { path: url.slice(0, longestPath), query: "" };
  return { path: url.slice(0, Math.min(end, longestPath)), query: url.slice(end + 1) };
}

/** A duration to two decimals. */
export const hundredths = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;

/**
 * An estimate of the memory that an entry holds with its bodies, or without them. Only bytes that
 * were read count, because a client may announce any number.
 */
export const heldBytes = (bodies: readonly (Uint8Array | null | undefined)[] | null): number =>
  bodies === null ? 500 : bodies.reduce((sum, bytes) => sum + (bytes?.length ?? 0), 2000);

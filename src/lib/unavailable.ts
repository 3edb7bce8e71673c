/**
 * A part of the bank that can be out of service while the process runs. `limit` is the limit of one
 * caller.
 */
export type Part = "database" | "core" | "login" | "disk" | "signer" | "limit";

// Errors are recognised by this marker, so that errors from another copy of this module are
// recognised too.
const marker = Symbol.for("aldgate.unavailable");

/**
 * A part of the bank does not respond or cannot accept more work now. Every interface returns 503
 * with Retry-After (429 if it is the caller's own limit). The request may have been executed: only
 * a retry shows it.
 */
export class Unavailable extends Error {
  readonly part: Part;
  /** Seconds after which a retry makes sense; a whole number, at least 1. */
  readonly retryAfterSeconds: number;
  readonly [marker] = true;

  constructor(part: Part, message: string, options: { retryAfterSeconds?: number } & ErrorOptions) {
    super(message, options);
    this.name = "Unavailable";
    this.part = part;
    this.retryAfterSeconds = Math.max(1, Math.ceil(options.retryAfterSeconds ?? 5));
  }
}

/** Returns the Unavailable that is the error or its cause; null for every other error. */
export function unavailableOf(error: unknown): Unavailable | null {
  let current = error;
  // causes can form a circle
  for (let depth = 0; depth < 8; depth += 1) {
    if (typeof current !== "object" || current === null) return null;
    if (marker in current) return current as Unavailable;
    current = (current as { cause?: unknown }).cause;
  }
  return null;
}

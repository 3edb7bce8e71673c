/** A part of the bank that can be out of service while the process runs. */
export type Part = "database" | "core" | "login" | "disk";

// Found by this marker: two copies of this module, or an error from another realm, agree on it.
const marker = Symbol.for("aldgate.unavailable");

/**
 * A part of the bank does not answer, or cannot take more work now. Every interface answers with
 * 503 and Retry-After. What was requested may have been done: only a retry shows it.
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

/** Returns the Unavailable that an error is, or that caused it; null for every other error. */
export function unavailableOf(error: unknown): Unavailable | null {
  let current = error;
  // errors can be made to cause each other
  for (let depth = 0; depth < 8; depth += 1) {
    if (typeof current !== "object" || current === null) return null;
    if (marker in current) return current as Unavailable;
    current = (current as { cause?: unknown }).cause;
  }
  return null;
}

import { readV3Frequency } from "#src/payments/formats/v3-frequency.ts";
import type { RequestedFrequency } from "#src/payments/request/payment-request.ts";
import { isV3Frequency } from "#src/standard/shared/v4/frequency.ts";

/**
 * Reads a frequency, such as `IntrvlMnthDay:01:03`, which names its day itself. Returns null if
 * there is none, or one that the schema refuses.
 */
export function readFrequency(given: unknown): RequestedFrequency | null {
  if (typeof given !== "string" || !isV3Frequency(given)) return null;
  const rhythm = readV3Frequency(given);
  return rhythm && { read: { rhythm }, superseded: null, hasCount: false };
}

import { ApiError, bareRefusal } from "#src/http/api-error.ts";
import { type Unavailable, unavailableOf } from "#src/lib/unavailable.ts";

/**
 * The status and the header that every interface returns while a part of the bank is out of
 * service.
 */
export const outageAnswer = ({ part, retryAfterSeconds }: Unavailable) => ({
  status: part === "limit" ? (429 as const) : (503 as const),
  headers: { "retry-after": String(retryAfterSeconds) },
});

/**
 * The refusal of an API for an error that is not a refusal: an outage of a part of the bank, or a
 * bug. Source: P-024.
 */
export function refusalOf(error: unknown): ApiError {
  const unavailable = unavailableOf(error);
  if (!unavailable) {
    const message = "The bank failed. Quote the interaction id when you report it.";
    return new ApiError(500, [{ code: "U000", message }]);
  }
  const { status, headers } = outageAnswer(unavailable);
  if (status === 429) return bareRefusal(status, headers);
  const message =
    "The bank cannot serve this request at the moment. Send it again after the number of " +
    "seconds in Retry-After, with the same x-idempotency-key if it has one.";
  return new ApiError(status, [{ code: "U000", message }], headers);
}

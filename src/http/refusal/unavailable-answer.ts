import { ApiError, bareRefusal } from "#src/http/api-error.ts";
import type { Unavailable } from "#src/lib/unavailable.ts";

/**
 * The status and the header that every interface returns while a part of the bank is out of
 * service.
 */
export const outageAnswer = ({ part, retryAfterSeconds }: Unavailable) => ({
  status: part === "limit" ? (429 as const) : (503 as const),
  headers: { "retry-after": String(retryAfterSeconds) },
});

/**
 * Whether a refusal is only logged as the answer that it is: anyone can cause as many as they like.
 */
export const isOrdinary = ({ part }: Unavailable): boolean => part === "limit";

/** The refusal of an API while a part of the bank is out of service. Source: P-024. */
export function refuseUnavailable(unavailable: Unavailable): ApiError {
  const { status, headers } = outageAnswer(unavailable);
  if (status === 429) return bareRefusal(status, headers);
  const message =
    "The bank cannot serve this request at the moment. Send it again after the number of " +
    "seconds in Retry-After, with the same x-idempotency-key if it has one.";
  return new ApiError(status, [{ code: "U000", message }], headers);
}

import { ApiError } from "#src/http/api-error.ts";
import type { Unavailable } from "#src/lib/unavailable.ts";

/**
 * The status and the header that every interface returns while a part of the bank is out of
 * service.
 */
export const outageAnswer = ({ retryAfterSeconds }: Unavailable) => ({
  status: 503 as const,
  headers: { "retry-after": String(retryAfterSeconds) },
});

/** The refusal of an API while a part of the bank is out of service. Source: P-024. */
export function refuseUnavailable(unavailable: Unavailable): ApiError {
  const { status, headers } = outageAnswer(unavailable);
  const message =
    "The bank cannot serve this request at the moment. Send it again after the number of " +
    "seconds in Retry-After, with the same x-idempotency-key if it has one.";
  return new ApiError(status, [{ code: "U000", message }], headers);
}

import { isIP } from "node:net";
import type { OperationRequest } from "#src/http/operation.ts";

/**
 * Tells whether the customer is present: the TPP then sends the customer's address. An invalid
 * address counts as none. Source.
 */
export function isAttended({ headers }: Pick<OperationRequest, "headers">): boolean {
  const address = headers["x-fapi-customer-ip-address"];
  return typeof address === "string" && isIP(address.trim()) !== 0;
}

/** Seconds until the next day (UTC) starts: at least one. */
export function secondsToNextDay(now: Temporal.Instant): number {
  const here = now.toZonedDateTimeISO("UTC");
  return Math.ceil(here.until(here.startOfDay().add({ days: 1 })).total("seconds"));
}

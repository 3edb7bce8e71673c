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

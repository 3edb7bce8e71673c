import type { CustomerDevice } from "#src/bank/payment-context.ts";
import type { Bank } from "#src/bank/port.ts";
import { customerDevice } from "#src/http/headers/customer-device.ts";
import type { ArrivedRequest } from "#src/http/operation.ts";

/** What says whether the core hears of customers' devices. */
export type HearingBank = Pick<Bank, "assess" | "assessOrder" | "readsContext">;

/**
 * Returns the member of the terms with the customer's device, as the request names it. It is
 * personal data, so it is not stored for a core that never hears of it.
 */
export function heardDevice(
  { assess, assessOrder, readsContext }: HearingBank,
  { headers }: Pick<ArrivedRequest, "headers">,
): { device?: CustomerDevice } {
  if (!assess && !assessOrder && !readsContext) return {};
  const device = customerDevice(headers);
  return device === null ? {} : { device };
}

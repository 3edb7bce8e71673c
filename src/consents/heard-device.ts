import type { CustomerDevice } from "#src/bank/payment-context.ts";
import type { Bank } from "#src/bank/port.ts";
import { customerDevice } from "#src/http/headers/customer-device.ts";
import type { ArrivedRequest } from "#src/http/operation.ts";

/** What says whether the core hears of customers' devices. */
export type HearingBank = Pick<Bank, "assess" | "assessOrder" | "readsContext">;

/** The calls of the core that pass on the device of a request. */
const hearing = {
  "access consent": ["assess"],
  "payment consent": ["assess", "assessOrder", "readsContext"],
  order: ["assessOrder", "readsContext"],
} as const satisfies Record<string, readonly (keyof HearingBank)[]>;

/**
 * Returns the member of the terms with the customer's device, as the request for a consent or an
 * order names it. It is personal data, so it is not stored for a core that never hears of it.
 */
export function heardDevice(
  asked: keyof typeof hearing,
  bank: HearingBank,
  { headers }: Pick<ArrivedRequest, "headers">,
): { device?: CustomerDevice } {
  if (!hearing[asked].some((name) => bank[name])) return {};
  const device = customerDevice(headers);
  return device === null ? {} : { device };
}

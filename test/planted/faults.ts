import { accessFaults } from "./access-faults.ts";
import { eventFaults } from "./event-faults.ts";
import { moneyFaults } from "./money-faults.ts";
import { orderFaults } from "./order-faults.ts";
import type { PlantedFault } from "./planted-fault.ts";

/**
 * Faults that are planted one at a time in a copy of the source. Each is a text that is replaced,
 * and the rules by which it must be found. A text that no longer occurs once is a finding too.
 */
export const plantedFaults: readonly PlantedFault[] = [
  ...orderFaults,
  ...moneyFaults,
  ...accessFaults,
  ...eventFaults,
];

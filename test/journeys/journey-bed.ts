import { after, before } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Customers, openCustomers } from "./customer.ts";

/** A bank, its customers in browsers, and a TPP to which they come back. */
export type JourneyBed = { bank: TestBank; customers: Customers; client: TppClient };

/**
 * Opens a bank, its customers and a TPP before the tests of a file, and closes them after the
 * tests. `use` gets them before the first test.
 */
export function openBefore(
  use: (bed: JourneyBed) => unknown,
  open: () => Promise<TestBank> = openBank,
): void {
  let bed: JourneyBed | undefined;
  before(async () => {
    const [bank, customers] = await Promise.all([open(), openCustomers()]);
    const client = await bank.createTpp({ redirectUris: [customers.redirectUri] });
    bed = { bank, customers, client };
    await use(bed);
  });
  after(async () => {
    await bed?.customers.close();
    await bed?.bank.close();
  });
}

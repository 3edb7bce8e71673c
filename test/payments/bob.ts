import type { Database } from "#src/storage/database.ts";
import { addHolders, type Holder } from "#test/account-store/add-holders.ts";
import { addCustomers } from "#test/sandbox/stored-customers.ts";
import { accounts } from "./fixture.ts";

/** A second customer of the fixture's bank. */
export const bob = { customerId: "customer-bob", login: "bob", name: "Bob Example" };

/** Adds Bob. He holds the joint account with Ann in this role; she owns the current account. */
export async function addBob(database: Database, role: Holder["role"]): Promise<void> {
  await addCustomers(database, [bob]);
  await addHolders(database, [
    { accountId: accounts.current, customerId: "customer-ann", role: "owner" },
    { accountId: accounts.joint, customerId: "customer-ann", role },
    { accountId: accounts.joint, customerId: bob.customerId, role },
  ]);
}

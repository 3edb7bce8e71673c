import Type from "typebox";
import type { AccountFeed } from "#src/account-store/account-feed.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";

// apart from load-bank.ts, so that a module's compiler needs no types but those of the port

/** The arguments of `createBank`. Through the feed, the core sends what customers see. */
export type BankContext = { database: Database; clock: Clock; feed: AccountFeed };

/** The rules of a module's `testCustomers`. */
export const testCustomers = Type.Array(
  Type.Object({
    customerId: Type.String(),
    login: Type.String(),
    password: Type.String(),
    name: Type.String(),
    description: Type.String(),
  }),
);

/** A customer whose credentials are known, so that a sandbox can act for the customer. */
export type TestCustomer = Type.Static<typeof testCustomers>[number];

import type { AccountResource } from "./resource.ts";
import { account, accounts } from "./resources/accounts.ts";
import { balances } from "./resources/balances.ts";
import { transactions } from "./resources/transactions.ts";

/** Every resource that is served. A row here is all that a new one needs. */
export const accountResources: readonly AccountResource[] = [
  accounts,
  account,
  balances,
  transactions,
];

/**
 * The permissions that a consent may carry: those that open or widen a resource that is served.
 * ReadPAN opens none, and goes with each that can show a card number. Source: A-080, D-07.
 */
export const supportedPermissions = (
  resources: readonly AccountResource[] = accountResources,
): ReadonlySet<string> =>
  new Set(["ReadPAN", ...resources.flatMap(({ permissions }) => permissions.flat())]);

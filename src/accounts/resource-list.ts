import {
  type AccountApiId,
  type AccountEndpoint,
  type AccountResource,
  endpointsOf,
} from "./resource.ts";
import { account, accounts } from "./resources/accounts.ts";
import { balances } from "./resources/balances.ts";
import { beneficiaries } from "./resources/beneficiaries.ts";
import { directDebits } from "./resources/direct-debits.ts";
import { offers } from "./resources/offers.ts";
import { customerParty, parties, party } from "./resources/parties.ts";
import { product } from "./resources/product.ts";
import { scheduledPayments } from "./resources/scheduled-payments.ts";
import { standingOrders } from "./resources/standing-orders.ts";
import { statementFile } from "./resources/statement-file.ts";
import { statement, statements } from "./resources/statements.ts";
import { statementTransactions, transactions } from "./resources/transactions.ts";

/** Every resource that is served. A new resource needs only a row here. */
export const accountResources: readonly AccountResource[] = [
  accounts,
  account,
  balances,
  transactions,
  product,
  offers,
  party,
  parties,
  customerParty,
  statements,
  statement,
  statementFile,
  statementTransactions,
  beneficiaries,
  directDebits,
  scheduledPayments,
  standingOrders,
];

/** Every endpoint that an API version serves. */
export const accountEndpoints = (
  version: AccountApiId,
  resources: readonly AccountResource[] = accountResources,
): AccountEndpoint[] => resources.flatMap((resource) => endpointsOf(resource, version));

/**
 * The permissions that a consent may have: those that give access to a served resource, or to more
 * of it. ReadPAN gives access to none by itself, and is allowed if a resource can show a card
 * number. Source: A-080, D-07.
 */
export const supportedPermissions = (
  resources: readonly AccountResource[] = accountResources,
): ReadonlySet<string> =>
  new Set(["ReadPAN", ...resources.flatMap(({ source }) => source.permissions.flat())]);

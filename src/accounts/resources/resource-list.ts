import {
  type AccountApiId,
  type AccountEndpoint,
  type AccountResource,
  endpointsOf,
} from "#src/accounts/resource.ts";
import type { AccountVocabulary } from "#src/standard/aisp-v4.0/words.ts";
import { account, accounts } from "./accounts.ts";
import { balances } from "./balances.ts";
import { beneficiaries } from "./beneficiaries.ts";
import { directDebits } from "./direct-debits.ts";
import { offers } from "./offers.ts";
import { customerParty, parties, party } from "./parties.ts";
import { product } from "./product.ts";
import { scheduledPayments } from "./scheduled-payments.ts";
import { standingOrders } from "./standing-orders.ts";
import { statementFile } from "./statement-file.ts";
import { statement, statements } from "./statements.ts";
import { statementTransactions, transactions } from "./transactions.ts";

// The resources. Each kind of data has a file with its rows. A row has the source of the facts, the
// permissions for them, and a view for each API version. This file lists the rows, and facts-sql.ts
// has the SQL that several sources share.

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
  vocabulary?: AccountVocabulary,
): AccountEndpoint[] => resources.flatMap((resource) => endpointsOf(resource, version, vocabulary));

/**
 * The permissions that a consent may have: those that give access to a served resource, or to more
 * of it. ReadPAN gives access to none by itself, and is allowed if a resource can show a card
 * number. Source: A-080, D-07.
 */
export const supportedPermissions = (
  resources: readonly AccountResource[] = accountResources,
): ReadonlySet<string> =>
  new Set(["ReadPAN", ...resources.flatMap(({ source }) => source.permissions.flat())]);

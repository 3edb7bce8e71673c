import { type BankAbout, hasPart, offersPermission } from "#src/bank/parts.ts";
import { permissions } from "#src/standard/shared/accounts/account-access-consent.ts";
import { accountVersions } from "./account-versions.ts";
import {
  type AccountApiId,
  type AccountEndpoint,
  type AccountResource,
  type AccountRow,
  endpointsOf,
  isPermitted,
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

// The resources. Each kind of data has a file with its rows in resources/, where facts-sql.ts has
// the SQL that several sources share. A row has the source of the facts and the permissions for
// them. The folders in versions/ have the views. This file lists the rows, and puts both together.

const rows: readonly AccountRow[] = [
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

/** Every resource that is served, with its views. */
export const accountResources: readonly AccountResource[] = rows.map((row) => {
  const views = accountVersions.flatMap(({ id, views }) => {
    const found = views.find((one) => one.row === row);
    return found ? [[id, found.view] as const] : [];
  });
  return { ...row, views: Object.fromEntries(views) };
});

/** The resources whose data the bank's core has. */
export function offeredResources(
  bank: { about?: BankAbout },
  resources: readonly AccountResource[] = accountResources,
): AccountResource[] {
  const offered = permissions.filter((code) => offersPermission(bank, code));
  return resources.filter(
    ({ source }) =>
      isPermitted(source.permissions, offered) &&
      (source.part === undefined || hasPart(bank, source.part.belongsTo)),
  );
}

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

import type { Queryable } from "#src/storage/database.ts";
import {
  type Breach,
  type InvariantGroup,
  shownBreaches,
  type VerifyOptions,
  verifyGroups,
} from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";
import { verifyBalances } from "./balances.ts";
import { collectionInvariants, mandateInvariants } from "./direct-debit-invariants.ts";
import { accountInvariants, wholeLedger } from "./ledger-invariants.ts";
import { contractInvariants, paymentInvariants } from "./payment-invariants.ts";

const groups: readonly InvariantGroup[] = [
  { what: "the ledger", key: null, invariants: wholeLedger },
  {
    what: "accounts",
    key: { table: sql`ledger_account`, column: sql`account_id`, perSlice: 200 },
    invariants: accountInvariants,
  },
  {
    what: "payments",
    key: { table: sql`bank_payment`, column: sql`payment_id`, perSlice: 10_000 },
    invariants: paymentInvariants,
  },
  {
    what: "contracts",
    key: { table: sql`exchange_contract`, column: sql`contract_id`, perSlice: 500 },
    invariants: contractInvariants,
  },
  {
    what: "mandates",
    key: { table: sql`direct_debit`, column: sql`direct_debit_id`, perSlice: 2_000 },
    invariants: mandateInvariants,
  },
  {
    what: "collections",
    key: { table: sql`direct_debit_collection`, column: sql`posting_id`, perSlice: 20_000 },
    invariants: collectionInvariants,
  },
];

/**
 * Lists breaches of the ledger's invariants, and differences between the ledger and the payments of
 * orders. An empty list means that there are none. Payments may be made meanwhile.
 */
export async function verifySandboxBank(on: Queryable, options: VerifyOptions): Promise<Breach[]> {
  const balances = await verifyBalances(on, shownBreaches, options);
  return [...balances, ...(await verifyGroups(on, groups, options))];
}

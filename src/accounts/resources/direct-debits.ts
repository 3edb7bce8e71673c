import type { AccountRow } from "#src/accounts/resource.ts";
import { amount } from "#src/accounts/views/signed-amount.ts";
import type { CollectionFrequency, MandateState } from "#src/standard/shared/accounts/facts.ts";
import type { CollectionMandate } from "#src/standard/shared/mandate.ts";
import { sql } from "#src/storage/sql.ts";
import { instant } from "./facts-sql.ts";

type DirectDebitFacts = {
  accountId: string;
  directDebitId: string;
  mandateReference: string;
  originatorName: string;
  state: MandateState;
  frequency: CollectionFrequency;
  /** Null if the bank knows no more about the mandate. */
  mandate: CollectionMandate | null;
  /** Null when nothing has been collected yet. */
  previous: { at: string; amountMinor: string; currency: string } | null;
};

/**
 * The mandates of an account. The previous payment is the newest collection that was paid.
 * Source: A-160, E-043, E-044.
 */
export const directDebits: AccountRow<DirectDebitFacts> = {
  path: "/accounts/:AccountId/direct-debits",
  operationId: "GetAccountsAccountIdDirectDebits",
  summary: "Get the direct debits of an account",
  tag: "Direct Debits",
  arrayName: "DirectDebit",
  source: {
    cluster: "regular-payments",
    permissions: [["ReadDirectDebits"]],
    detailPermission: null,
    from: sql`direct_debit d`,
    where: sql`d.account_id = r.account_id`,
    key: { columns: [{ column: sql`d.direct_debit_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', d.account_id, 'directDebitId', d.direct_debit_id,
      'mandateReference', d.mandate_reference, 'originatorName', d.originator_name,
      'state', d.status, 'frequency', d.frequency, 'mandate', d.mandate,
      'previous', case when d.previous_at is not null then json_build_object(
        'at', ${instant(sql`d.previous_at`)},
        'amountMinor', d.previous_minor::text, 'currency', d.previous_currency) end)::text`,
    paged: true,
  },
  bulk: {
    path: "/direct-debits",
    operationId: "GetDirectDebits",
    summary: "Get the direct debits of all accounts",
  },
};

/** The ids of a direct debit. */
export const directDebitIdsOf = ({ accountId, directDebitId }: DirectDebitFacts) => ({
  AccountId: accountId,
  DirectDebitId: directDebitId,
});

/** The latest payment of a direct debit. */
export const previousPaymentOf = ({ previous }: DirectDebitFacts) =>
  previous && {
    PreviousPaymentDateTime: previous.at,
    PreviousPaymentAmount: amount(BigInt(previous.amountMinor), previous.currency),
  };

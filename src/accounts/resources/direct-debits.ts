import { instant } from "#src/accounts/facts-sql.ts";
import { defineAccountResource } from "#src/accounts/resource.ts";
import { formatAmount } from "#src/lib/money.ts";
import { readDirectDebit } from "#src/standard/aisp-v3.1/read-direct-debit.ts";
import { sql } from "#src/storage/sql.ts";

type StoredDirectDebit = {
  accountId: string;
  directDebitId: string;
  mandateReference: string;
  originatorName: string;
  status: string;
  frequency: string;
  /** Null when nothing has been collected yet. */
  previous: { at: string; amountMinor: string; currency: string } | null;
};

/**
 * The mandates of an account. The previous payment is the newest posting of a collection: what came
 * back unpaid is none. Source: digest 3.6.
 */
export const directDebits = defineAccountResource<StoredDirectDebit>({
  path: "/accounts/:AccountId/direct-debits",
  operationId: "GetAccountsAccountIdDirectDebits",
  summary: "Get the direct debits of an account",
  tag: "Direct Debits",
  arrayName: "DirectDebit",
  source: {
    permissions: [["ReadDirectDebits"]],
    detailPermission: null,
    from: sql`direct_debit d left join lateral (
        select p.booked_at, p.amount_minor, p.currency
        from direct_debit_collection c join posting p on p.posting_id = c.posting_id
        where c.direct_debit_id = d.direct_debit_id and c.outcome = 'collected'
        order by c.due_on desc limit 1
      ) l on true`,
    where: sql`d.account_id = r.account_id`,
    key: { columns: [{ column: sql`d.direct_debit_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', d.account_id, 'directDebitId', d.direct_debit_id,
      'mandateReference', d.mandate_reference, 'originatorName', d.originator_name,
      'status', d.status, 'frequency', d.frequency,
      'previous', case when l.booked_at is not null then json_build_object(
        'at', ${instant(sql`l.booked_at`)},
        'amountMinor', l.amount_minor::text, 'currency', l.currency) end)::text`,
    paged: true,
  },
  views: {
    "aisp-v3.1": {
      schema: readDirectDebit,
      render: ({ previous, ...stored }) => [
        {
          AccountId: stored.accountId,
          DirectDebitId: stored.directDebitId,
          MandateIdentification: stored.mandateReference,
          DirectDebitStatusCode: stored.status,
          Name: stored.originatorName,
          Frequency: `UK.OBIE.${stored.frequency}`,
          ...(previous && {
            PreviousPaymentDateTime: previous.at,
            PreviousPaymentAmount: {
              Amount: formatAmount(BigInt(previous.amountMinor), previous.currency),
              Currency: previous.currency,
            },
          }),
        },
      ],
    },
  },
  bulk: {
    path: "/direct-debits",
    operationId: "GetDirectDebits",
    summary: "Get the direct debits of all accounts",
  },
});

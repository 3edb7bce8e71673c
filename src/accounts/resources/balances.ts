import { defineAccountResource } from "#src/accounts/resource.ts";
import { amount, signedAmount } from "#src/accounts/signed-amount.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { readBalance } from "#src/standard/aisp-v3.1/read-balance.ts";
import { sql } from "#src/storage/sql.ts";

type Funds = {
  accountId: string;
  accountSubType: string;
  currency: string;
  /** Minor units as text: JSON numbers would not hold them all. */
  booked: string;
  held: string;
  limit: string;
};

/**
 * What an account holds now and what can be spent of it. An overdraft is a line beside the
 * available balance, a card's limit is part of it. Source: digest 3.3, A-155…A-157.
 */
export const balances = defineAccountResource<Funds>({
  path: "/accounts/:AccountId/balances",
  operationId: "GetAccountsAccountIdBalances",
  summary: "Get the balances of an account",
  tag: "Balances",
  arrayName: "Balance",
  source: {
    permissions: [["ReadBalances"]],
    detailPermission: null,
    from: sql`account a join ledger_account l on l.account_id = a.account_id`,
    where: sql`a.account_id = r.account_id`,
    key: { columns: [{ column: sql`a.account_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', a.account_id, 'accountSubType', a.account_sub_type,
      'currency', l.currency, 'booked', l.balance_minor::text, 'held', l.held_minor::text,
      'limit', l.overdraft_limit_minor::text)::text`,
    paged: false,
  },
  views: {
    "aisp-v3.1": {
      schema: readBalance,
      render(funds, { now }) {
        const limit = BigInt(funds.limit);
        const booked = BigInt(funds.booked);
        const own = booked - BigInt(funds.held);
        const isCard = funds.accountSubType === "CreditCard";
        const balance = (type: string, amountMinor: bigint) => ({
          AccountId: funds.accountId,
          ...signedAmount(amountMinor, funds.currency),
          Type: type,
          DateTime: formatInstant(now),
        });
        const available = balance("InterimAvailable", isCard ? own + limit : own);
        return [
          balance("InterimBooked", booked),
          limit === 0n ? available : { ...available, CreditLine: creditLines(own, limit, funds) },
        ];
      },
    },
  },
  bulk: {
    path: "/balances",
    operationId: "GetBalances",
    summary: "Get the balances of all accounts",
  },
});

function creditLines(own: bigint, limit: bigint, { accountSubType, currency }: Funds): object[] {
  if (accountSubType === "CreditCard") {
    return [{ Included: true, Type: "Credit", Amount: amount(limit, currency) }];
  }
  const unused = own < 0n ? limit + own : limit;
  return [
    { Included: false, Type: "Available", Amount: amount(unused < 0n ? 0n : unused, currency) },
    { Included: false, Type: "Pre-Agreed", Amount: amount(limit, currency) },
  ];
}

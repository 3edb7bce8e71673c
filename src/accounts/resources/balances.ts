import { defineAccountResource } from "#src/accounts/resource.ts";
import { amount, signedAmount } from "#src/accounts/signed-amount.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { readBalance } from "#src/standard/aisp-v3.1/read-balance.ts";
import { balanceTypes } from "#src/standard/aisp-v3.1/words.ts";
import { readBalance as readBalanceV4 } from "#src/standard/aisp-v4.0/read-balance.ts";
import { balanceTypeCodes } from "#src/standard/aisp-v4.0/words.ts";
import type { AccountKind } from "#src/standard/shared/accounts/facts.ts";
import { sql } from "#src/storage/sql.ts";

type Funds = {
  accountId: string;
  kind: AccountKind;
  currency: string;
  /** Minor units as text: JSON numbers would not hold them all. */
  booked: string;
  held: string;
  limit: string;
};

/**
 * What an account holds now and what can be spent of it. An overdraft is a line beside the
 * available balance, a card's limit is part of it. Source: A-155…A-157.
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
    facts: sql`json_build_object('accountId', a.account_id, 'kind', a.account_sub_type,
      'currency', l.currency, 'booked', l.balance_minor::text, 'held', l.held_minor::text,
      'limit', l.overdraft_limit_minor::text)::text`,
    paged: false,
  },
  views: {
    "aisp-v3.1": {
      schema: readBalance,
      render: (funds, { now }) => renderBalances(funds, balanceTypes, now),
    },
    "aisp-v4.0": {
      schema: readBalanceV4,
      render: (funds, { now }) => renderBalances(funds, balanceTypeCodes, now),
    },
  },
  bulk: {
    path: "/balances",
    operationId: "GetBalances",
    summary: "Get the balances of all accounts",
  },
});

/** The balances of an account; `types` are the version's words for the kinds of balance. */
function renderBalances<Type extends string>(
  { accountId, kind, currency, ...funds }: Funds,
  types: Readonly<Record<"InterimAvailable" | "InterimBooked", Type>>,
  now: Temporal.Instant,
) {
  const limit = BigInt(funds.limit);
  const booked = BigInt(funds.booked);
  const own = booked - BigInt(funds.held);
  const isCard = kind === "CreditCard";
  const balance = (type: Type, amountMinor: bigint) => ({
    AccountId: accountId,
    ...signedAmount(amountMinor, currency),
    Type: type,
    DateTime: formatInstant(now),
  });
  const available = balance(types.InterimAvailable, isCard ? own + limit : own);
  const lines = isCard
    ? [{ Included: true, Type: "Credit", Amount: amount(limit, currency) }]
    : overdraftLines(own, limit, currency);
  return [
    balance(types.InterimBooked, booked),
    limit === 0n ? available : { ...available, CreditLine: lines },
  ];
}

function overdraftLines(own: bigint, limit: bigint, currency: string) {
  const unused = own < 0n ? limit + own : limit;
  return [
    { Included: false, Type: "Available", Amount: amount(unused < 0n ? 0n : unused, currency) },
    { Included: false, Type: "Pre-Agreed", Amount: amount(limit, currency) },
  ];
}

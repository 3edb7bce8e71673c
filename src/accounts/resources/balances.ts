import {
  balancesOf,
  listBalances,
  type StoredBalance,
  type StoredBalances,
} from "#src/account-store/balances.ts";
import type { AccountRow } from "#src/accounts/resource.ts";
import {
  amount,
  localAmountOf,
  type SubTypes,
  signedAmount,
  withSubType,
} from "#src/accounts/views/signed-amount.ts";
import type { BalanceKind } from "#src/standard/shared/accounts/facts.ts";
import { sql } from "#src/storage/sql.ts";

/** The balances of an account as they are stored. */
type BalancesFacts = { accountId: string; balances: StoredBalances[] };

/** The balances of an account, as its bank last stated them. Source: A-155…A-157. */
export const balances: AccountRow<BalancesFacts> = {
  path: "/accounts/:AccountId/balances",
  operationId: "GetAccountsAccountIdBalances",
  summary: "Get the balances of an account",
  tag: "Balances",
  arrayName: "Balance",
  source: {
    cluster: "balances",
    permissions: [["ReadBalances"]],
    detailPermission: null,
    from: sql`account a cross join lateral (
      select ${balancesOf(sql`a.account_id`, sql`r.now`)} as balances) b`,
    where: sql`a.account_id = r.account_id and b.balances is not null`,
    key: { columns: [{ column: sql`a.account_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('accountId', a.account_id, 'balances', b.balances)::text`,
    paged: false,
  },
  bulk: {
    path: "/balances",
    operationId: "GetBalances",
    summary: "Get the balances of all accounts",
  },
};

/**
 * The balances of an account, in the version's words for the kinds of balance and the kinds of
 * currency.
 */
export const renderBalances = <Type extends string>(
  { accountId, balances: all }: BalancesFacts,
  types: Readonly<Record<BalanceKind, Type>>,
  subTypes: SubTypes<string>,
) =>
  all.flatMap((stated) =>
    listBalances(stated).map(({ type, amountMinor, creditLines, localAmount }) => ({
      AccountId: accountId,
      ...withSubType(signedAmount(BigInt(amountMinor), stated.currency), stated, subTypes),
      ...localAmountOf(localAmount, subTypes),
      Type: types[type],
      DateTime: stated.at,
      ...(creditLines
        ? { CreditLine: creditLines.map((line) => renderLine(line, stated.currency)) }
        : {}),
    })),
  );

type CreditLine = NonNullable<StoredBalance["creditLines"]>[number];

const renderLine = (line: CreditLine, currency: string) => ({
  Included: line.isIncluded,
  Type: line.type === "PreAgreed" ? ("Pre-Agreed" as const) : line.type,
  Amount: amount(BigInt(line.amountMinor), currency),
});

import type { ExchangeContract } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A new exchange contract, of which nothing has been used. */
type NewContract = Omit<ExchangeContract, "remaining"> & {
  /** The amount that can be paid under it, in the other currency. */
  amount: Money;
  agreedAt: Temporal.Instant;
};

/** Stores a contract. Returns false if its id is already in use. */
export async function storeContract(on: Queryable, contract: NewContract): Promise<boolean> {
  const rows = await on.query(sql`
    insert into exchange_contract (contract_id, account_id, unit_currency, other_currency, rate,
      amount_minor, agreed_at, expires_at)
    select ${contract.contractId}::text, account_id, ${contract.unitCurrency}::text,
      ${contract.otherCurrency}::text, ${contract.rate}::numeric,
      ${contract.amount.amountMinor}::bigint, ${contract.agreedAt}::timestamptz,
      ${contract.expiresAt}::timestamptz
    from account where account_id = ${contract.accountId}
    on conflict do nothing returning contract_id`);
  return rows.length === 1;
}

type ContractRow = Omit<ExchangeContract, "remaining"> & { remainingMinor: bigint };

/** Loads a contract with its remaining amount. Returns null if there is none with that id. */
export async function loadContract(
  on: Queryable,
  contractId: string,
): Promise<ExchangeContract | null> {
  const row = await first<ContractRow>(
    on,
    sql`select c.contract_id as "contractId", c.account_id as "accountId",
        c.unit_currency as "unitCurrency", c.other_currency as "otherCurrency",
        c.rate::text as rate, c.expires_at as "expiresAt",
        exchange_contract_left(c.contract_id)::bigint as "remainingMinor"
      from exchange_contract c where c.contract_id = ${contractId}`,
  );
  if (!row) return null;
  const { remainingMinor, ...contract } = row;
  return {
    ...contract,
    remaining: { amountMinor: remainingMinor, currency: contract.otherCurrency },
  };
}

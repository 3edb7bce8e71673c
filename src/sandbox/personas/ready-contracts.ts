import { parseAmount } from "#src/lib/money.ts";
import { storeContract } from "#src/sandbox/bank/exchange/contracts.ts";
import type { Queryable } from "#src/storage/database.ts";

/** A seeded exchange contract, for payments at an agreed rate. */
type ReadyContract = {
  contractId: string;
  /** The household and the key of the account. */
  account: { household: string; key: string };
  unitCurrency: string;
  otherCurrency: string;
  rate: string;
  /** The amount that can be paid under it, in the other currency. */
  amount: string;
  expires: string;
};

const iris = (key: string) => ({ household: "iris", key });
const farAhead = "2035-12-31T00:00:00Z";

/** The contracts of the personas, as `docs/international-payments.md` lists them. */
export const readyContracts: readonly ReadyContract[] = [
  {
    contractId: "FX-IRIS-GBP-USD",
    account: iris("current"),
    unitCurrency: "GBP",
    otherCurrency: "USD",
    rate: "1.27",
    amount: "1000000.00",
    expires: farAhead,
  },
  {
    contractId: "FX-IRIS-EUR-JPY",
    account: iris("euros"),
    unitCurrency: "EUR",
    otherCurrency: "JPY",
    rate: "165.5",
    amount: "50000000",
    expires: farAhead,
  },
  {
    contractId: "FX-AMARA-GBP-EUR",
    account: { household: "amara", key: "current" },
    unitCurrency: "GBP",
    otherCurrency: "EUR",
    rate: "1.19",
    amount: "250000.00",
    expires: farAhead,
  },
];

/** Stores a household's seeded contracts. `accountIds` maps the keys of its accounts to ids. */
export async function storeReadyContracts(
  on: Queryable,
  household: string,
  accountIds: ReadonlyMap<string, string>,
  now: Temporal.Instant,
): Promise<void> {
  for (const { account, amount, expires, ...contract } of readyContracts) {
    const accountId = accountIds.get(account.key);
    if (account.household !== household || accountId === undefined) continue;
    const currency = contract.otherCurrency;
    await storeContract(on, {
      ...contract,
      accountId,
      amount: { amountMinor: parseAmount(amount, currency) ?? 0n, currency },
      agreedAt: now,
      expiresAt: Temporal.Instant.from(expires),
    });
  }
}

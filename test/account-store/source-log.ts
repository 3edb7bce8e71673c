// The log of a core: a fixed sequence of changes, of which each entry is a position of the source.
import type { AccountChanges } from "#src/account-store/feed.ts";
import { accountFact } from "#test/accounts/facts.ts";
import { transactionFact } from "#test/accounts/stored-transactions.ts";
import { every } from "./every-change.ts";

const accounts = 12;
const accountOf = (n: number): string => `log-account-${n % accounts}`;

const person = { name: "Ann", legalStructure: null, lei: null, contact: null };

/**
 * The first entry: what the others name. Several sources may send it, but each delivers a cluster
 * of its own, because the last one that delivers a cluster owns its age.
 */
const openingOf = (source: string): AccountChanges => ({
  products: every.products ?? [],
  accounts: Array.from({ length: accounts }, (_, n) => accountFact({ accountId: accountOf(n) })),
  delivered: Array.from({ length: accounts }, (_, n) => ({
    accountId: accountOf(n),
    cluster: source === "core" ? ("transactions" as const) : ("balances" as const),
    asOf: Temporal.Instant.from("2026-11-20T00:00:00Z"),
  })),
});

/**
 * The entry `n` of the log of a source: a transaction, later its booking or removal, the account's
 * balance and, now and then, a fact that breaks a rule.
 */
export function entryOf(source: string, n: number): AccountChanges {
  if (n === 0) return openingOf(source);
  const version = BigInt(n + 1);
  const accountId = accountOf(n);
  const idOf = (entry: number) => `${source}-${entry}`;
  const earlier = { accountId: accountOf(n - 5), transactionId: idOf(n - 5), version };
  const isRemoved = n > 5 && n % 7 === 1;
  const isBooked = n > 5 && n % 3 === 0 && !isRemoved;
  const isWrong = n % 11 === 4;
  return {
    transactions: [
      transactionFact({
        accountId,
        transactionId: idOf(n),
        version,
        status: "Pending",
        reference: `entry ${n}`,
      }),
    ],
    balances: [
      {
        accountId,
        version,
        currency: source === "core" ? "GBP" : "EUR",
        currencyKind: null,
        statedAt: Temporal.Instant.from("2026-11-20T08:00:00Z"),
        balances: [{ type: "InterimBooked", amountMinor: version }],
      },
    ],
    ...(isBooked ? { statuses: [{ ...earlier, status: "Booked", bookingId: null }] } : {}),
    ...(isWrong ? { parties: [{ ...person, version, partyId: `wrong ${n}` }] } : {}),
    ...(isRemoved ? { removed: { transactions: [earlier] } } : {}),
  };
}

/** The entries from one to another as the changes of one call. */
export function entriesOf(source: string, from: number, to: number): AccountChanges {
  const call: Record<string, object[]> = {};
  const removed: object[] = [];
  for (let n = from; n <= to; n++) {
    const { removed: { transactions = [] } = {}, ...facts } = entryOf(source, n);
    for (const [kind, some] of Object.entries(facts)) call[kind] = [...(call[kind] ?? []), ...some];
    removed.push(...transactions);
  }
  // safe: the facts are those of the entries
  return { ...call, removed: { transactions: removed } } as AccountChanges;
}

// Prints transactions as lines of `./aldgate facts load`, as a core would export its log: in the
// order of booking, for all accounts in turn, each with a cursor. Arguments: how many accounts, the
// first transaction, how many transactions, and how many a second (0: as many as are read).
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { accountIdAt } from "./history.ts";

const linesPerWrite = 200;

const [accounts = 1, first = 0, count = 0, perSecond = 0] = process.argv.slice(2).map(Number);
const begin = Temporal.Instant.from("2026-11-21T00:00:00Z").epochMilliseconds;

function lineOf(n: number): string {
  const bookedAt = new Date(begin + n * 10).toISOString();
  const transaction = {
    version: 1,
    accountId: accountIdAt(1 + ((n * 7919) % accounts)),
    transactionId: `core-${n.toString().padStart(16, "0")}`,
    indicator: n % 9 ? "Debit" : "Credit",
    status: "Booked",
    bookedAt,
    valueAt: bookedAt,
    amount: { amountMinor: `${100 + (n % 9000)}`, currency: "GBP" },
    isoCode: "PMNT-CCRD-POSD",
    bankCode: { code: "DEB", issuer: "Aldgate" },
    reference: `reference ${n}`,
    information: "CARD PAYMENT TO THE CORNER SHOP LONDON GB",
    merchant: { name: "The Corner Shop", categoryCode: "5411" },
    balance: { amountMinor: `${153_211 + n}`, type: "InterimBooked" },
  };
  return JSON.stringify({ transactions: [transaction], position: { cursor: `log ${n}` } });
}

const startedAt = performance.now();
for (let from = first; from < first + count; from += linesPerWrite) {
  if (perSecond > 0) {
    const dueAt = startedAt + (1000 * (from - first)) / perSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
  }
  const length = Math.min(linesPerWrite, first + count - from);
  const lines = Array.from({ length }, (_, index) => lineOf(from + index));
  if (!process.stdout.write(`${lines.join("\n")}\n`)) await once(process.stdout, "drain");
}

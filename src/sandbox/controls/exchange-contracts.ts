import Type, { type Static } from "typebox";
import { decimal, formatRate } from "#src/bank/exchange.ts";
import type { Bank, ExchangeRate } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { newId } from "#src/lib/ids.ts";
import { formatAmount, parseAmount } from "#src/lib/money.ts";
import { storeContract } from "#src/sandbox/bank/exchange/contracts.ts";
import { customerRate } from "#src/sandbox/bank/exchange/rates.ts";
import { endOfTime } from "#src/sandbox/time/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const amount = Type.Object(
  {
    Amount: Type.String({ pattern: String.raw`^\d{1,13}(\.\d{1,5})?$` }),
    Currency: Type.String({ pattern: "^[A-Z]{3}$" }),
  },
  { additionalProperties: false, title: "ExchangeAmount" },
);
/** The body of a request for a contract. */
export const contractRequest = Type.Object(
  {
    accountId: Type.String({
      description: "The account to be debited. Its currency is UnitCurrency.",
    }),
    amount,
    rate: Type.Optional(
      Type.String({
        description: "The rate, such as 1.1742. The default is the bank's current best rate.",
      }),
    ),
    expires: Type.Optional(
      Type.String({
        description:
          "When the contract expires: a future date-time with an offset. The default is one " +
          "month from now.",
      }),
    ),
  },
  { additionalProperties: false },
);
/** The response body. */
export const contractAnswer = Type.Object({
  contractIdentification: Type.String(),
  accountId: Type.String(),
  unitCurrency: Type.String(),
  otherCurrency: Type.String(),
  exchangeRate: Type.Number(),
  remaining: amount,
  expires: Type.String({ format: "date-time" }),
});
/** The requested terms of a contract. */
export type ContractRequest = Static<typeof contractRequest>;
/** A contract in a response. Its rate is the value to send as `ExchangeRate`. */
export type ContractAnswer = Static<typeof contractAnswer>;

// the bank's margin on an agreed rate, in basis points
const contractSpread = 30;

/** Creates a contract, as a customer would with the bank's dealers. Throws SandboxRefusal. */
export async function agreeContract(
  { database, bank, clock }: { database: Database; bank: Bank; clock: Clock },
  { accountId, amount, rate: wanted, expires }: ContractRequest,
): Promise<ContractAnswer> {
  const account = await bank.loadAccount(accountId);
  if (!account) throw new SandboxRefusal(404, `There is no account "${accountId}".`);
  const now = clock.now();
  const pair = { unitCurrency: account.currency, otherCurrency: amount.Currency };
  const rate = rateOf(pair, wanted, now);
  const amountMinor = parseAmount(amount.Amount, amount.Currency);
  if (amountMinor === null || amountMinor === 0n) {
    throw new SandboxRefusal(400, `${amount.Amount} is not a valid amount of ${amount.Currency}.`);
  }
  const contract = {
    contractId: newId("fx"),
    accountId,
    ...pair,
    rate,
    amount: { amountMinor, currency: amount.Currency },
    agreedAt: now,
    expiresAt: endOf(expires, now),
  };
  await storeContract(database, contract);
  return {
    contractIdentification: contract.contractId,
    accountId,
    ...pair,
    exchangeRate: Number(rate),
    remaining: { Amount: formatAmount(amountMinor, amount.Currency), Currency: amount.Currency },
    expires: formatInstant(contract.expiresAt),
  };
}

function rateOf(
  pair: Pick<ExchangeRate, "unitCurrency" | "otherCurrency">,
  wanted: string | undefined,
  now: Temporal.Instant,
): string {
  if (pair.unitCurrency === pair.otherCurrency) {
    throw new SandboxRefusal(
      400,
      `The account is already in ${pair.unitCurrency}: choose another currency.`,
    );
  }
  const best = customerRate(pair, now, contractSpread);
  if (best === null) {
    throw new SandboxRefusal(400, `The bank does not exchange ${pair.otherCurrency}.`);
  }
  if (wanted === undefined) return best.rate;
  const rate = /^\d{1,9}(\.\d{1,9})?$/.test(wanted) ? decimal(wanted) : null;
  if (!rate?.gt(0)) throw new SandboxRefusal(400, "`rate` must be a decimal such as 1.1742.");
  return formatRate(rate);
}

function endOf(expires: string | undefined, now: Temporal.Instant): Temporal.Instant {
  if (expires === undefined) return now.add({ hours: 30 * 24 });
  let end: Temporal.Instant;
  try {
    end = Temporal.Instant.from(expires);
  } catch {
    throw new SandboxRefusal(400, "`expires` must be a date-time with an offset.");
  }
  if (Temporal.Instant.compare(end, now) <= 0) {
    throw new SandboxRefusal(400, "`expires` must be in the future.");
  }
  if (Temporal.Instant.compare(end, endOfTime) <= 0) return end;
  throw new SandboxRefusal(400, `\`expires\` must not be after ${endOfTime}.`);
}

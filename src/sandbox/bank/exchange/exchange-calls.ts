import type { Bank } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { loadContract } from "./contracts.ts";
import { pricePayment } from "./price.ts";
import { type CurrencyPair, customerRate } from "./rates.ts";
import { exchangeCurrencies } from "./reference-rates.ts";

/** How long a quoted rate is guaranteed. */
const quoteMinutes = 15;

type ExchangeCalls = Pick<Bank, "exchangeCurrencies" | "quoteRate" | "loadContract" | "price">;

/** Creates the bank's calls about currencies: rates, contracts and prices. */
export function createExchangeCalls(
  database: Database,
  clock: Clock,
  hasFirmRates: (pair: CurrencyPair) => boolean,
): ExchangeCalls {
  return {
    exchangeCurrencies,

    async quoteRate(pair, type) {
      const now = clock.now();
      const firm = type === "Actual";
      const rate = customerRate(pair, now);
      if (rate === null || (firm && !hasFirmRates(pair))) return null;
      return { ...rate, expiresAt: firm ? quoteEnds(now) : null };
    },

    loadContract: (contractId) => loadContract(database, contractId),

    async price(payment) {
      const account = await first<{ currency: string }>(
        database,
        sql`select currency from account where account_id = ${payment.debtorAccountId}`,
      );
      const price = account && pricePayment(payment, account.currency, clock.now());
      return !price || "refused" in price ? null : price;
    },
  };
}

/** Returns the time at which a quote expires, in whole seconds. */
const quoteEnds = (now: Temporal.Instant): Temporal.Instant =>
  now.round({ smallestUnit: "second", roundingMode: "trunc" }).add({ minutes: quoteMinutes });

import { convert } from "#src/bank/exchange.ts";
import { findNamedAccount } from "#src/bank/find-account.ts";
import type { Bank, RateQuote } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";
import { namedAccount } from "#src/payments/order/payment-order.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { ExchangeFacts } from "#src/payments/request/checks.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";

// How money is sent in another currency or to another country. The bank's core says which
// currencies and rates it has (this file). checks.ts, destination.ts and rate-checks.ts compare a
// request with these facts. terms.ts adds the quoted or agreed rate to the consent, charges.ts
// splits the charges, and summary.ts shows all of this to the customer.

/** The facts with the rate, which becomes part of the consent's terms. */
export type LoadedFacts = ExchangeFacts & {
  /** The quote for Actual or Indicative; null if the bank does not quote it now. */
  quote: RateQuote | null;
};

/** Loads the facts that the checks of an international kind and the consent's terms need. */
export async function loadExchangeFacts(
  bank: Bank,
  { amount, debtor: named, international }: PaymentRequest,
  { PAYMENT_LIMIT }: Pick<PaymentConfig, "PAYMENT_LIMIT">,
): Promise<LoadedFacts> {
  const account = namedAccount(named);
  const { unitCurrency, type, contractId } = international?.rate ?? {};
  const otherCurrency = international?.transferCurrency;
  const ordered = amount?.currency ?? null;
  const quotable = (type === "Actual" || type === "Indicative") && unitCurrency && otherCurrency;
  const [found, quote, contract, limit] = await Promise.all([
    account ? findNamedAccount(bank, account) : null,
    quotable && unitCurrency !== otherCurrency
      ? bank.quoteRate({ unitCurrency, otherCurrency }, type)
      : null,
    type === "Agreed" && typeof contractId === "string" ? bank.loadContract(contractId) : null,
    ordered === null ? null : limitIn(bank, ordered, BigInt(PAYMENT_LIMIT)),
  ]);
  const isQuoted = quote !== null;
  const isAmbiguous = found === "ambiguous";
  const debtor = found === "ambiguous" ? null : found;
  const currencies = bank.exchangeCurrencies;
  return { currencies, debtor, isAmbiguous, isQuoted, quote, contract, limit };
}

/** The bank's facts about its currencies, loaded once for many payments. */
export type ExchangeBoard = {
  currencies: readonly string[];
  /** The limit for one payment in each currency that the bank quotes now. */
  limits: ReadonlyMap<string, Money>;
};

/**
 * Loads the facts about all currencies, so that no call to the bank is needed between two payments.
 */
export async function loadExchangeBoard(
  bank: Bank,
  { PAYMENT_LIMIT }: Pick<PaymentConfig, "PAYMENT_LIMIT">,
): Promise<ExchangeBoard> {
  const currencies = bank.exchangeCurrencies;
  const limits = await Promise.all(
    currencies.map((currency) => limitIn(bank, currency, BigInt(PAYMENT_LIMIT))),
  );
  return {
    currencies,
    limits: new Map(limits.flatMap((limit) => (limit ? [[limit.currency, limit]] : []))),
  };
}

/**
 * Returns the facts for one payment. They contain neither the debtor account nor contracts: the
 * payments of a file use the rate of the day, and share one account.
 */
export function factsOf(
  { currencies, limits }: ExchangeBoard,
  { amount, international }: PaymentRequest,
): ExchangeFacts {
  const pair = [international?.rate?.unitCurrency, international?.transferCurrency];
  return {
    currencies,
    debtor: null,
    isQuoted: pair.every((currency) => limits.has(currency ?? "")),
    contract: null,
    limit: limits.get(amount?.currency ?? "") ?? null,
  };
}

/** Converts the limit for one payment, which is in pence; null if the bank quotes no rate. */
async function limitIn(bank: Bank, currency: string, pence: bigint): Promise<Money | null> {
  const limit = { amountMinor: pence, currency: "GBP" };
  if (currency === "GBP") return limit;
  const pair = { unitCurrency: "GBP", otherCurrency: currency };
  const rate = await bank.quoteRate(pair, "Indicative");
  return rate && convert(limit, rate);
}

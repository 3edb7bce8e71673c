import { convert } from "#src/bank/exchange.ts";
import type { Bank, BankAccount, ExchangeContract, RateQuote } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";

/** What the bank says of the currencies of a request that has not been checked yet. */
export type ExchangeFacts = {
  /** The currencies that can be exchanged and sent. */
  currencies: readonly string[];
  /** The named debtor account, when it is one of this bank. */
  debtor: BankAccount | null;
  /** Whether the bank can give a rate now, where Actual or Indicative was requested. */
  isQuoted: boolean;
  /** What was named for an Agreed rate; null when there is no such contract. */
  contract: ExchangeContract | null;
  /** The most that one payment may be, in the currency that is ordered. */
  limit: Money | null;
};

/** With the rate itself, which the consent's terms take over. */
export type LoadedFacts = ExchangeFacts & {
  /** What was requested as Actual or Indicative; null when the bank does not quote it now. */
  quote: RateQuote | null;
};

/** Asks the bank what the checks of an international kind, and the consent's terms, need. */
export async function loadExchangeFacts(
  bank: Bank,
  { amount, debtor: named, international }: PaymentRequest,
  { PAYMENT_LIMIT }: Pick<PaymentConfig, "PAYMENT_LIMIT">,
): Promise<LoadedFacts> {
  const { schemeName: scheme, identification } = named ?? {};
  const { unitCurrency, type, contractId } = international?.rate ?? {};
  const otherCurrency = international?.transferCurrency;
  const ordered = amount?.currency ?? null;
  const quotable = (type === "Actual" || type === "Indicative") && unitCurrency && otherCurrency;
  const [debtor, quote, contract, limit] = await Promise.all([
    scheme && identification ? bank.findAccount(scheme, identification) : null,
    quotable && unitCurrency !== otherCurrency
      ? bank.quoteRate({ unitCurrency, otherCurrency }, type)
      : null,
    type === "Agreed" && typeof contractId === "string" ? bank.loadContract(contractId) : null,
    ordered === null ? null : limitIn(bank, ordered, BigInt(PAYMENT_LIMIT)),
  ]);
  const isQuoted = quote !== null;
  return { currencies: bank.exchangeCurrencies, debtor, isQuoted, quote, contract, limit };
}

/** What the bank says of its currencies once, for many payments that are checked one by one. */
export type ExchangeBoard = {
  currencies: readonly string[];
  /** The most that one payment may be, in each currency that the bank quotes now. */
  limits: ReadonlyMap<string, Money>;
};

/** Asks the bank for all of its currencies, so that nothing need be asked between two payments. */
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
 * What the board says of one payment. It knows neither the debtor account nor contracts: the
 * payments of a file are made at the rate of the day, and have one account between them.
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

/** The bank's limit for one payment, which is in pence, in another currency. */
async function limitIn(bank: Bank, currency: string, pence: bigint): Promise<Money | null> {
  const limit = { amountMinor: pence, currency: "GBP" };
  if (currency === "GBP") return limit;
  const pair = { unitCurrency: "GBP", otherCurrency: currency };
  const rate = await bank.quoteRate(pair, "Indicative");
  return rate && convert(limit, rate);
}

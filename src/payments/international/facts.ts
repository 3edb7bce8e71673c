import { convert } from "#src/bank/exchange.ts";
import type { Bank, BankAccount, ExchangeContract, RateQuote } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";
import type { PaymentConfig } from "#src/payments/deps.ts";
import { textAt } from "#src/payments/json-path.ts";

/** What the bank says of the currencies of a request that has not been judged yet. */
export type ExchangeFacts = {
  /** The currencies that can be exchanged and sent. */
  currencies: readonly string[];
  /** The named debtor account, when it is one of this bank. */
  debtor: BankAccount | null;
  /** What was asked for as Actual or Indicative; null when the bank does not quote it now. */
  quote: RateQuote | null;
  /** What was named for an Agreed rate; null when there is no such contract. */
  contract: ExchangeContract | null;
  /** The most that one payment may be, in the currency that is ordered. */
  limit: Money | null;
};

const initiation = "Data.Initiation";
const rateInformation = `${initiation}.ExchangeRateInformation`;

/** Asks the bank what the checks of an international kind, and the consent's terms, need. */
export async function loadExchangeFacts(
  bank: Bank,
  body: unknown,
  { PAYMENT_LIMIT }: Pick<PaymentConfig, "PAYMENT_LIMIT">,
): Promise<ExchangeFacts> {
  const at = (path: string) => textAt(body, path);
  const scheme = at(`${initiation}.DebtorAccount.SchemeName`);
  const identification = at(`${initiation}.DebtorAccount.Identification`);
  const unitCurrency = at(`${rateInformation}.UnitCurrency`);
  const otherCurrency = at(`${initiation}.CurrencyOfTransfer`);
  const type = at(`${rateInformation}.RateType`);
  const contractId = at(`${rateInformation}.ContractIdentification`);
  const ordered = at(`${initiation}.InstructedAmount.Currency`);
  const quotable = (type === "Actual" || type === "Indicative") && unitCurrency && otherCurrency;
  const [debtor, quote, contract, limit] = await Promise.all([
    scheme && identification ? bank.findAccount(scheme, identification) : null,
    quotable && unitCurrency !== otherCurrency
      ? bank.quoteRate({ unitCurrency, otherCurrency }, type)
      : null,
    type === "Agreed" && contractId !== undefined ? bank.loadContract(contractId) : null,
    ordered === undefined ? null : limitIn(bank, ordered, BigInt(PAYMENT_LIMIT)),
  ]);
  return { currencies: bank.exchangeCurrencies, debtor, quote, contract, limit };
}

/** The bank's limit for one payment, which is in pence, in another currency. */
async function limitIn(bank: Bank, currency: string, pence: bigint): Promise<Money | null> {
  const limit = { amountMinor: pence, currency: "GBP" };
  if (currency === "GBP") return limit;
  const pair = { unitCurrency: "GBP", otherCurrency: currency };
  const rate = await bank.quoteRate(pair, "Indicative");
  return rate && convert(limit, rate);
}

import { convert, isSameRate } from "#src/bank/exchange.ts";
import type { Fault } from "#src/http/api-error.ts";
import { parseDateTime } from "#src/lib/date-time.ts";
import { parseAmount } from "#src/lib/money.ts";
import { processingInstant } from "#src/payments/calendar/timing.ts";
import { holidaysOf } from "#src/payments/calendar/working-days.ts";
import type { Check, CheckedRequest } from "#src/payments/request/checks.ts";
import { hasMember, numberAt, textAt } from "#src/payments/request/json-path.ts";
import { currencyCodes } from "#src/standard/shared/currency-codes.ts";

const initiation = "Data.Initiation";
const information = `${initiation}.ExchangeRateInformation`;

const isCode = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Z]{3}$/.test(text);

/** P-117: what the creditor is paid in, and what the rate counts in, are currencies on offer. */
export const checkCurrencies: Check = ({ body, exchange }) =>
  [`${initiation}.CurrencyOfTransfer`, `${information}.UnitCurrency`].flatMap((path): Fault[] => {
    const currency = textAt(body, path);
    if (!isCode(currency) || exchange === null || exchange.currencies.includes(currency)) return [];
    return currencyCodes.has(currency)
      ? [{ code: "U023", path, message: `The bank exchanges ${exchange.currencies.join(", ")}.` }]
      : [{ code: "U002", path, message: `${currency} is not a currency of ISO 4217.` }];
  });

/** P-128: the rate counts in the debtor account's currency, into another one. */
export const checkUnitCurrency: Check = ({ body, exchange }) => {
  const path = `${information}.UnitCurrency`;
  const unit = textAt(body, path);
  const transfer = textAt(body, `${initiation}.CurrencyOfTransfer`);
  if (!isCode(unit)) return [];
  if (unit === transfer) {
    const message = `Nothing is exchanged between an account in ${unit} and ${unit}.`;
    return [{ code: "U002", path, message }];
  }
  const held = exchange?.debtor?.currency;
  if (held === undefined || held === unit) return [];
  return [{ code: "U002", path, message: "The debtor account is in another currency." }];
};

/** The amount is in what the creditor is paid in, or in what the account is in. */
export const checkAmountCurrency: Check = ({ body, exchange }) => {
  const path = `${initiation}.InstructedAmount.Currency`;
  const ordered = textAt(body, path);
  const transfer = textAt(body, `${initiation}.CurrencyOfTransfer`);
  const held = textAt(body, `${information}.UnitCurrency`) ?? exchange?.debtor?.currency;
  if (!isCode(ordered) || transfer === undefined || held === undefined) return [];
  if (ordered === transfer || ordered === held) return [];
  const message = "The amount is in the currency of the transfer, or in the debtor account's.";
  return [{ code: "U002", path, message }];
};

/** P-119…P-121, P-126: what goes with each type of rate, and whether the bank can give it. */
export const checkRateType: Check = (request) => {
  const { body, exchange } = request;
  const type = textAt(body, `${information}.RateType`);
  const members = ["ExchangeRate", "ContractIdentification"].map(
    (name) => `${information}.${name}`,
  );
  if (type === "Agreed") {
    return members
      .filter((path) => !hasMember(body, path))
      .map((path): Fault => ({ code: "U001", path, message: "An agreed rate comes with it." }));
  }
  if (type !== "Actual" && type !== "Indicative") return [];
  const unexpected = members
    .filter((path) => hasMember(body, path))
    .map((path): Fault => ({ code: "U005", path, message: "It goes with an agreed rate only." }));
  if (unexpected.length > 0 || exchange === null || exchange.isQuoted) return unexpected;
  // what else is wrong with the currencies is said where they stand
  if (checkCurrencies(request).length + checkUnitCurrency(request).length > 0) return [];
  const message =
    "The bank does not quote firm rates for these currencies at present. Send RateType " +
    "Indicative, or try again later.";
  return [{ code: "U002", path: `${information}.RateType`, message }];
};

/** P-122: the contract is one for this payment, and says this rate. */
export const checkContract: Check = (request) => {
  const { body, exchange } = request;
  const path = `${information}.ContractIdentification`;
  const rate = numberAt(body, `${information}.ExchangeRate`);
  const named = textAt(body, path);
  if (textAt(body, `${information}.RateType`) !== "Agreed" || exchange === null) return [];
  if (named === undefined || rate === undefined) return [];
  const wrong = whyNotCovered(request, rate);
  return wrong === null ? [] : [{ code: "U002", path, message: wrong }];
};

function whyNotCovered(
  { kind, body, exchange, now, config }: CheckedRequest,
  rate: number,
): string | null {
  const contract = exchange?.contract ?? null;
  const unit = textAt(body, `${information}.UnitCurrency`);
  const transfer = textAt(body, `${initiation}.CurrencyOfTransfer`);
  if (contract === null) return "There is no such contract.";
  if (contract.unitCurrency !== unit || contract.otherCurrency !== transfer) {
    return "The contract is about other currencies.";
  }
  if (!isSameRate(contract.rate, rate)) return "The contract says another rate.";
  const { debtor } = exchange ?? {};
  if (debtor && debtor.accountId !== contract.accountId)
    return "The contract is not this account's.";
  const day =
    kind.timing.when === "onDate"
      ? parseDateTime(textAt(body, `${initiation}.${kind.timing.field}`) ?? "")
      : null;
  const used = day === null ? now : processingInstant(day.local.toPlainDate(), holidaysOf(config));
  if (Temporal.Instant.compare(contract.expiresAt, used) <= 0) return "The contract ends before.";
  return isBeyond(body, contract) ? "The contract is not for that much any more." : null;
}

function isBeyond(
  body: unknown,
  contract: NonNullable<NonNullable<CheckedRequest["exchange"]>["contract"]>,
): boolean {
  const currency = textAt(body, `${initiation}.InstructedAmount.Currency`) ?? "";
  const minor = parseAmount(textAt(body, `${initiation}.InstructedAmount.Amount`) ?? "", currency);
  if (minor === null || ![contract.unitCurrency, contract.otherCurrency].includes(currency)) {
    return false;
  }
  const amount = { amountMinor: minor, currency };
  const sent = currency === contract.otherCurrency ? amount : convert(amount, contract);
  return sent.amountMinor > contract.remaining.amountMinor;
}

import { convert, isSameRate } from "#src/bank/exchange.ts";
import type { ExchangeContract } from "#src/bank/port.ts";
import { holidaysOf, processingInstant } from "#src/payments/calendar/timing.ts";
import {
  type Check,
  type CheckedRequest,
  notOffered,
  type RequestFault,
} from "#src/payments/request/checks.ts";
import type { PaymentRequest, RequestedRate } from "#src/payments/request/payment-request.ts";

const isCode = (text: string | null | undefined): text is string =>
  typeof text === "string" && /^[A-Z]{3}$/.test(text);

/** P-117: the bank offers the currencies of the transfer and of the rate. */
export const checkCurrencies: Check = ({ request: { international }, exchange }) =>
  (
    [
      ["transferCurrency", international?.transferCurrency],
      ["rate.unitCurrency", international?.rate?.unitCurrency],
    ] as const
  ).flatMap(([member, currency]): RequestFault[] => {
    if (!isCode(currency) || exchange === null || exchange.currencies.includes(currency)) return [];
    return [{ ...notOffered(currency, exchange.currencies), member }];
  });

/** P-128: UnitCurrency is the debtor account's currency, and differs from the transfer's. */
export const checkUnitCurrency: Check = ({ request: { international }, exchange }) => {
  const member = "rate.unitCurrency";
  const unit = international?.rate?.unitCurrency;
  if (!isCode(unit)) return [];
  if (unit === international?.transferCurrency) {
    const message =
      `UnitCurrency must not be the currency of the transfer (${unit}). No exchange is needed: ` +
      "leave the exchange rate information out.";
    return [{ code: "U002", member, message }];
  }
  const held = exchange?.debtor?.currency;
  if (held === undefined || held === unit) return [];
  return [
    {
      code: "U002",
      member,
      message: `UnitCurrency must be ${held}, the debtor account's currency.`,
    },
  ];
};

/** The amount is in the currency of the transfer, or in the account's. */
export const checkAmountCurrency: Check = ({ request: { amount, international }, exchange }) => {
  const ordered = amount?.currency;
  const transfer = international?.transferCurrency ?? null;
  const held = international?.rate?.unitCurrency ?? exchange?.debtor?.currency;
  if (!isCode(ordered) || transfer === null || held === undefined) return [];
  if (ordered === transfer || ordered === held) return [];
  const message = "The amount must be in the currency of the transfer or of the debtor account.";
  return [{ code: "U002", member: "amount.currency", message }];
};

/** P-119…P-121, P-126: each RateType has its own members, and the bank can give the rate. */
export const checkRateType: Check = (checked) => {
  const { request, exchange } = checked;
  const { rate = null } = request.international ?? {};
  if (rate?.type === "Agreed") return missingOfAgreed(rate);
  if (rate?.type !== "Actual" && rate?.type !== "Indicative") return [];
  const unexpected = givenOfAgreed(rate);
  if (unexpected.length > 0 || exchange === null || exchange.isQuoted) return unexpected;
  // without two currencies, there is no rate to quote; the schema reports the missing one
  if (!namesCurrencies(request)) return [];
  // other faults of the currencies are reported at the currency
  if (checkCurrencies(checked).length + checkUnitCurrency(checked).length > 0) return [];
  const message =
    "The bank does not quote firm rates for these currencies at present. Send RateType " +
    "Indicative, or try again later.";
  return [{ code: "U002", member: "rate.type", message }];
};

const namesCurrencies = ({ international }: PaymentRequest): boolean =>
  isCode(international?.transferCurrency) && isCode(international.rate?.unitCurrency);

const ofAgreed = [
  ["rate.value", "value", "Send the agreed rate as a number, such as 1.2."],
  ["rate.contractId", "contractId", "Send the id of the rate's contract as text."],
] as const;

const missingOfAgreed = (rate: RequestedRate): RequestFault[] =>
  ofAgreed
    .filter(([, name]) => rate[name] === null)
    .map(([member, , advice]) => ({
      code: "U001",
      member,
      message:
        `This field is mandatory when RateType is Agreed. ${advice} Without a contract, send ` +
        "RateType Actual or Indicative.",
    }));

const givenOfAgreed = (rate: RequestedRate): RequestFault[] =>
  ofAgreed
    .filter(([, name]) => rate[name] !== null)
    .map(([member]) => ({
      code: "U005",
      member,
      message: "This field is allowed only when RateType is Agreed.",
    }));

/** P-122: the contract covers this payment and has this rate. */
export const checkContract: Check = (checked) => {
  const { rate = null } = checked.request.international ?? {};
  if (rate?.type !== "Agreed" || checked.exchange === null) return [];
  if (rate.contractId === null || rate.value === null) return [];
  if (!namesCurrencies(checked.request)) return [];
  const wrong = whyNotCovered(checked, rate.value);
  return wrong === null ? [] : [{ code: "U002", member: "rate.contractId", message: wrong }];
};

function whyNotCovered(
  { kind, request, exchange, now, config }: CheckedRequest,
  rate: number,
): string | null {
  const contract = exchange?.contract ?? null;
  const { international, executionDate } = request;
  if (contract === null) return "The bank has no exchange contract with this id.";
  if (
    contract.unitCurrency !== international?.rate?.unitCurrency ||
    contract.otherCurrency !== international.transferCurrency
  ) {
    return "The contract must be for the currencies of this payment.";
  }
  if (!isSameRate(contract.rate, rate)) return "ExchangeRate must be the rate of the contract.";
  const { debtor } = exchange ?? {};
  if (debtor && debtor.accountId !== contract.accountId) {
    return "The contract must belong to the debtor account.";
  }
  const day = kind.timing.when === "onDate" ? executionDate : null;
  const used = day === null ? now : processingInstant(day.local.toPlainDate(), holidaysOf(config));
  if (Temporal.Instant.compare(contract.expiresAt, used) <= 0) {
    return "The contract expires before the payment is made.";
  }
  return isBeyond(request, contract) ? "The amount is more than the contract has left." : null;
}

function isBeyond({ amount }: PaymentRequest, contract: ExchangeContract): boolean {
  const money = amount?.money ?? null;
  if (money === null) return false;
  if (![contract.unitCurrency, contract.otherCurrency].includes(money.currency)) return false;
  const sent = money.currency === contract.otherCurrency ? money : convert(money, contract);
  return sent.amountMinor > contract.remaining.amountMinor;
}

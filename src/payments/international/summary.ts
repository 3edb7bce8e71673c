import { convert, decimal } from "#src/bank/exchange.ts";
import type { Bank, BankAccount, InternationalTerms, Price } from "#src/bank/port.ts";
import type { ConsentTerms, PromisedRate } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import type { PaymentSummary, SummaryRow } from "#src/pages/consent-summary.ts";
import { currencyText, dateTimeText, moneyText } from "#src/pages/wording.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";
import { destinationOf, networkOf } from "#src/payments/request/destination.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { splitCharges } from "./charges.ts";
import { amountOf, asItIs, debitLabel, debitRow, type PricedPart } from "./debit.ts";

/**
 * Returns why a payment cannot be made from an account in another currency; null if it can. Source:
 * P-128.
 */
export function whyNotExchanged(
  { amount, international }: PaymentRequest,
  terms: ConsentTerms,
  account: Pick<BankAccount, "accountId" | "currency">,
): string | null {
  const unit = international?.rate?.unitCurrency ?? null;
  if (unit !== null && unit !== account.currency) {
    const held = `This one is in ${currencyText(account.currency)}.`;
    return `The rate is for accounts in ${currencyText(unit)}. ${held}`;
  }
  const { contractAccountId } = terms;
  if (contractAccountId !== undefined && contractAccountId !== account.accountId) {
    return "The exchange rate was agreed for another account.";
  }
  const ordered = amount?.currency;
  if (ordered === international?.transferCurrency || ordered === account.currency) return null;
  const held = `This one is in ${currencyText(account.currency)}.`;
  return `This payment needs an account in ${currencyText(ordered ?? "")}. ${held}`;
}

const regions = new Intl.DisplayNames("en-GB", { type: "region", fallback: "none" });

/** `Germany`; an unknown code is returned unchanged. */
const countryText = (country: string): string => regions.of(country) ?? country;

const arrivals: Readonly<Record<InternationalTerms["network"], string>> = {
  SEPA: "By SEPA, within one working day",
  SEPAInstant: "By SEPA Instant, within seconds",
  SWIFT: "By SWIFT, usually within two working days",
};

const bearers: Readonly<Record<string, string>> = {
  BorneByCreditor: "deducted from what the payee receives",
  BorneByDebtor: "you pay all charges",
  Shared: "you pay ours; the payee’s bank may charge the payee",
};

/**
 * The rows that are known before the account is: the payee's bank, rate, charges, and what leaves
 * the account if that is fixed. The customer confirms what the money does, and not the words to the
 * payee or when it arrives.
 */
export function exchangeRows(terms: ConsentTerms, request: PaymentRequest): SummaryRow[] {
  const { charges = [], exchangeRate } = terms;
  const { amount } = request;
  const { agent, transferCurrency, purpose } = present(request.international, "its currency");
  const transfer = transferCurrency ?? "";
  const { country } = destinationOf(request);
  const bic = agent?.identification && `BIC ${agent.identification}`;
  const bank = [agent?.name, bic].filter(Boolean).join(", ");
  const [first] = charges;
  const total = charges.reduce((sum, { amount }) => sum + amount.amountMinor, 0n);
  const often = request.schedule === null ? "" : " for each payment";
  const how = first && (bearers[first.chargeBearer] ?? "");
  return [
    ...(bank === "" ? [] : [{ label: "Payee’s bank", value: bank, confirmed: true }]),
    ...(country === null
      ? []
      : [{ label: "Payee’s bank in", value: countryText(country), confirmed: true }]),
    ...(purpose === null ? [] : [{ label: "Purpose", value: purpose }]),
    ...(amount?.currency === transfer ? [] : [confirmedCost("Paid in", currencyText(transfer))]),
    ...(exchangeRate ? [rateRow(exchangeRate, transfer)] : []),
    {
      ...confirmedCost(
        "Bank charges",
        first ? `${moneyText(total, first.amount.currency)}${often}: ${how}` : "None from us",
      ),
      ...eachCosts(terms, request),
    },
    ...promisedDebitRows(terms, request),
    { label: "Arrives", value: arrivals[networkOf(request)], about: "when" },
  ];
}

const costRow = (label: string, value: string): SummaryRow => ({
  label,
  value,
  about: "cost",
});

/** A row of what a payment costs that the customer's code confirms too. */
export const confirmedCost = (label: string, value: string): SummaryRow => ({
  ...costRow(label, value),
  confirmed: true,
});

/** The charge of a payment at a rate that nobody has promised; nothing if the consent fixes it. */
export function openRateOf(terms: ConsentTerms): Pick<PaymentSummary, "openRate"> {
  const { exchangeRate } = terms;
  if (exchangeRate !== undefined && exchangeRate.type !== "Indicative") return {};
  const { charge } = splitCharges(terms);
  return { openRate: { charge: charge && moneyText(charge.amountMinor, charge.currency) } };
}

/** What each payment of a standing order costs the customer; nothing for other payments. */
function eachCosts(
  terms: ConsentTerms,
  { schedule }: PaymentRequest,
): Pick<SummaryRow, "eachCosts"> {
  const { charge } = splitCharges(terms);
  if (schedule === null || charge === null) return {};
  return { eachCosts: moneyText(charge.amountMinor, charge.currency) };
}

/**
 * What leaves the account if the rate is fixed, because only accounts in the rate's currency can
 * then be chosen. The core's own price replaces the row once the account is known. For charges in a
 * third currency, the customer confirms the amount, the rate and the charges instead.
 */
function promisedDebitRows(terms: ConsentTerms, request: PaymentRequest): SummaryRow[] {
  const { exchangeRate } = terms;
  const amount = request.amount?.money ?? null;
  if (!exchangeRate || exchangeRate.type === "Indicative" || amount === null) return [];
  const { unitCurrency, value } = exchangeRate;
  const otherCurrency = request.international?.transferCurrency ?? "";
  const rate = { unitCurrency, otherCurrency, rate: decimal(value).toFixed() };
  const debit = amount.currency === unitCurrency ? amount : convert(amount, rate);
  const { charge } = splitCharges(terms);
  if (charge === null || charge.currency === unitCurrency) {
    const payment = { from: amount, to: debit, isPromised: true };
    return [debitRow({ payments: [payment], charge: charge && asItIs(charge) })];
  }
  const [taken, added] = [debit, charge].map((each) => moneyText(each.amountMinor, each.currency));
  const charged = `our charges of ${added} at the rate at the time of payment`;
  return [costRow(debitLabel, `${taken}, and ${charged}`)];
}

function rateRow(
  { unitCurrency, value, type, expiresAt }: PromisedRate,
  other: string,
): SummaryRow {
  const rate = `1 ${unitCurrency} = ${value} ${other}`;
  if (type === "Agreed") return confirmedCost("Agreed exchange rate", rate);
  return expiresAt === null
    ? confirmedCost("Indicative exchange rate", `${rate}, may change until the payment is made`)
    : confirmedCost("Exchange rate", `${rate}, fixed until ${dateTimeText(expiresAt)}`);
}

/**
 * The rows for the chosen account: the debit, and the amount sent to the payee's bank, at the
 * current rate.
 */
export async function priceRows(
  bank: Bank,
  { amount, international }: Pick<PaymentDraft, "amount" | "international">,
  { accountId: debtorAccountId }: BankAccount,
  terms: ConsentTerms,
  which: "the payment" | "each payment" = "the payment",
): Promise<SummaryRow[]> {
  if (!international) return [];
  const price = await bank.price({ debtorAccountId, amount, international });
  if (price === null) return [];
  const { debit, charge, credit, deducted, rate } = price;
  const isPromised = international.rate !== null;
  const isOpen = rate !== null && !isPromised;
  const payment = { from: amount, to: debit, isPromised };
  const charged = charge && { from: international.charge ?? charge, to: charge };
  const sent: PricedPart[] = [{ from: amount, to: credit, isPromised }];
  if (deducted) sent.push({ from: international.deduction ?? deducted, to: deducted });
  const into = amount.currency === credit.currency ? "" : `, to ${currencyText(credit.currency)}`;
  const converted = `We convert ${which} when we make it, at our exchange rate then${into}.`;
  const later = isOpen ? converted : null;
  return [
    ...(isOpen && !terms.exchangeRate ? [openRate(rate)] : []),
    debitRow({ payments: [payment], charge: charged, later }),
    costRow("Sent to the payee’s bank", amountOf(credit, sent)),
  ];
}

const openRate = ({ unitCurrency, rate, otherCurrency }: NonNullable<Price["rate"]>): SummaryRow =>
  costRow(
    "Rate now",
    `1 ${unitCurrency} = ${rate} ${otherCurrency}; we will use the rate at the time of payment`,
  );

import type { Bank, BankAccount, InternationalTerms, Price } from "#src/bank/port.ts";
import type { ConsentTerms, PromisedRate } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import { currencyText, dateTimeText, moneyText } from "#src/pages/wording.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";
import { destinationOf, networkOf } from "#src/payments/request/destination.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";

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
  Shared: "you pay ours; the payee's bank may charge the payee",
};

/** The rows that are known before the account is: network, rate and charges. */
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
    ...(bank === "" ? [] : [{ label: "Payee's bank", value: bank }]),
    ...(country === null ? [] : [{ label: "Payee's bank in", value: countryText(country) }]),
    ...(purpose === null ? [] : [{ label: "Purpose", value: purpose }]),
    ...(amount?.currency === transfer ? [] : [costRow("Paid in", currencyText(transfer))]),
    ...(exchangeRate ? [rateRow(exchangeRate, transfer)] : []),
    costRow(
      "Bank charges",
      first ? `${moneyText(total, first.amount.currency)}${often}: ${how}` : "None from us",
    ),
    { label: "Arrives", value: arrivals[networkOf(request)], about: "when" },
  ];
}

const costRow = (label: string, value: string): SummaryRow => ({ label, value, about: "cost" });

function rateRow(
  { unitCurrency, value, type, expiresAt }: PromisedRate,
  other: string,
): SummaryRow {
  const rate = `1 ${unitCurrency} = ${value} ${other}`;
  if (type === "Agreed") return costRow("Agreed exchange rate", rate);
  return expiresAt === null
    ? costRow("Indicative exchange rate", `${rate}, may change until the payment is made`)
    : costRow("Exchange rate", `${rate}, fixed until ${dateTimeText(expiresAt)}`);
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
): Promise<SummaryRow[]> {
  if (!international) return [];
  const price = await bank.price({ debtorAccountId, amount, international });
  if (price === null) return [];
  const open = price.rate !== null && international.rate === null;
  const about = open ? "About " : "";
  // an amount in the account's currency does not change with the rate
  const isOwn = amount.currency === price.debit.currency;
  const { charge, deduction } = international;
  const debitIsFixed = isOwn && (charge ?? amount).currency === price.debit.currency;
  const creditIsFixed = !isOwn && deduction === null;
  return [
    ...(open && price.rate && !terms.exchangeRate ? [openRate(price.rate)] : []),
    debitRow(price, debitIsFixed ? "" : about),
    costRow(
      "Sent to the payee's bank",
      `${creditIsFixed ? "" : about}${moneyText(price.credit.amountMinor, price.credit.currency)}`,
    ),
  ];
}

const openRate = ({ unitCurrency, rate, otherCurrency }: NonNullable<Price["rate"]>): SummaryRow =>
  costRow(
    "Rate now",
    `1 ${unitCurrency} = ${rate} ${otherCurrency}; we will use the rate at the time of payment`,
  );

function debitRow({ debit, charge }: Price, about: string): SummaryRow {
  const debited = debit.amountMinor + (charge?.amountMinor ?? 0n);
  const detail = charge && `including ${moneyText(charge.amountMinor, charge.currency)} in charges`;
  const value = `${about}${moneyText(debited, debit.currency)}`;
  const isEstimate = about !== "";
  const total = { detail, isEstimate };
  return { label: "Taken from your account", value, about: "cost", confirmed: !isEstimate, total };
}

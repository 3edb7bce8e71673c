import type { Bank, BankAccount, InternationalTerms, Price } from "#src/bank/port.ts";
import type { ConsentTerms, PromisedRate } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import { moneyText } from "#src/pages/wording.ts";
import { bankZone } from "#src/payments/calendar/timing.ts";
import type { PaymentDraft } from "#src/payments/kinds/payment-kind.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { destinationOf, networkOf } from "./destination.ts";

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
    const held = `This account is in ${account.currency}`;
    return `${held}; the exchange rate is for an account in ${unit}.`;
  }
  const { contractAccountId } = terms;
  if (contractAccountId !== undefined && contractAccountId !== account.accountId) {
    return "The exchange rate was agreed for another account.";
  }
  const ordered = amount?.currency;
  if (ordered === international?.transferCurrency || ordered === account.currency) return null;
  return `This account is in ${account.currency}; this payment needs one in ${ordered}.`;
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
  const { agent, transferCurrency, purpose } = present(request.international, "its currency");
  const transfer = transferCurrency ?? "";
  const { country } = destinationOf(request);
  const bank = [agent?.name, agent?.identification].filter(Boolean).join(", ");
  const [first] = charges;
  const total = charges.reduce((sum, { amount }) => sum + amount.amountMinor, 0n);
  const how = first && (bearers[first.chargeBearer] ?? "");
  return [
    ...(bank === "" ? [] : [{ label: "Payee's bank", value: bank }]),
    ...(country === null ? [] : [{ label: "Country", value: countryText(country) }]),
    { label: "Paid in", value: transfer },
    { label: "Arrives", value: arrivals[networkOf(request)] },
    ...(purpose === null ? [] : [{ label: "Purpose", value: purpose }]),
    ...(exchangeRate ? [rateRow(exchangeRate, transfer)] : []),
    first
      ? { label: "Bank charges", value: `${moneyText(total, first.amount.currency)}: ${how}` }
      : { label: "Bank charges", value: "None from us" },
  ];
}

function rateRow(
  { unitCurrency, value, type, expiresAt }: PromisedRate,
  other: string,
): SummaryRow {
  const rate = `1 ${unitCurrency} = ${value} ${other}`;
  if (type === "Agreed") return { label: "Agreed exchange rate", value: rate };
  if (expiresAt === null) {
    return {
      label: "Indicative exchange rate",
      value: `${rate}, may change until the payment is made`,
    };
  }
  const until = expiresAt.toZonedDateTimeISO(bankZone);
  const time = until.toPlainTime().toString({ smallestUnit: "minute" });
  return { label: "Exchange rate", value: `${rate}, fixed until ${time}` };
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
    { label: "Taken from your account", value: `${debitIsFixed ? "" : about}${debitText(price)}` },
    {
      label: "Sent to the payee's bank",
      value: `${creditIsFixed ? "" : about}${moneyText(price.credit.amountMinor, price.credit.currency)}`,
    },
  ];
}

const openRate = ({
  unitCurrency,
  rate,
  otherCurrency,
}: NonNullable<Price["rate"]>): SummaryRow => ({
  label: "Rate now",
  value:
    `1 ${unitCurrency} = ${rate} ${otherCurrency}; we will use the rate at the time of ` +
    "payment",
});

function debitText({ debit, charge }: Price): string {
  const total = debit.amountMinor + (charge?.amountMinor ?? 0n);
  const text = moneyText(total, debit.currency);
  return charge === null
    ? text
    : `${text}, including ${moneyText(charge.amountMinor, charge.currency)} in charges`;
}

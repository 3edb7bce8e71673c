import type { KindRules, RequestFault } from "#src/payments/request/checks.ts";
import type { PaymentRequest, RequestMember } from "#src/payments/request/payment-request.ts";

/**
 * Payments in a file use the rate of their day, because a customer cannot be shown a firm or an
 * agreed rate for each of thousands of payments. Source: P-126.
 */
export function checkRateOfDay({ international }: PaymentRequest): RequestFault[] {
  const type = international?.rate?.type;
  if (type !== "Actual" && type !== "Agreed") return [];
  const message =
    "Payments in a file use the exchange rate of the day they are made. Leave the rate out, or " +
    "ask for an indicative rate.";
  return [{ code: "U002", member: "rate.type", message }];
}

/** The required currency of the debtor account, and the member that requires it. */
type AccountCurrency = { currency: string; member: RequestMember };

/**
 * The currency that a payment needs its account to be in; null if any will do. A domestic payment
 * needs an account in its own currency. An international payment needs one in the unit of its rate,
 * or in the currency of an amount that is not in the transfer currency.
 */
export function accountCurrencyOf(
  { currencies }: Pick<KindRules, "currencies">,
  { amount, international }: PaymentRequest,
): AccountCurrency | null {
  const ordered = amount?.currency ?? "";
  const member = "amount.currency";
  if (currencies !== "exchanged") return { currency: ordered, member };
  const unit = international?.rate?.unitCurrency ?? null;
  if (unit !== null) return { currency: unit, member: "rate.unitCurrency" };
  return ordered === international?.transferCurrency ? null : { currency: ordered, member };
}

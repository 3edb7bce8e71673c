import type { KindRules, RequestFault } from "#src/payments/request/checks.ts";
import type { PaymentRequest, RequestMember } from "#src/payments/request/payment-request.ts";

/**
 * A payment of a file is made at the rate of its day: a firm rate, or an agreed one, could not be
 * shown to the customer for each of thousands of payments. Source: P-126.
 */
export function checkRateOfDay({ international }: PaymentRequest): RequestFault[] {
  const type = international?.rate?.type;
  if (type !== "Actual" && type !== "Agreed") return [];
  const message =
    "Payments in a file use the exchange rate of the day they are made. Leave the rate out, or " +
    "ask for an indicative rate.";
  return [{ code: "U002", member: "rate.type", message }];
}

/** In which currency the debtor account must be, and the member that asks for it. */
export type AccountCurrency = { currency: string; member: RequestMember };

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

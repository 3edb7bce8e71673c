import type { Fault } from "#src/http/api-error.ts";
import type { Initiation, PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { textAt } from "#src/payments/request/json-path.ts";

const information = "Data.Initiation.ExchangeRateInformation";
const rateType = `${information}.RateType`;

/** Whether a fault is about a rate that a file cannot have: saying more of it helps nobody. */
export const isOfRefusedRate = (fault: Fault, refused: readonly Fault[]): boolean =>
  refused.length > 0 && fault.path !== rateType && (fault.path ?? "").startsWith(`${information}.`);

/**
 * A payment of a file is made at the rate of its day: a firm rate, or an agreed one, could not be
 * shown to the customer for each of thousands of payments. Source: digest 2.16, an account servicer
 * that cannot fulfil a rate refuses it.
 */
export function checkRateOfDay(body: unknown): Fault[] {
  const type = textAt(body, rateType);
  if (type !== "Actual" && type !== "Agreed") return [];
  const message =
    "Payments of a file are made at the rate of their day: ask for no rate, or for an " +
    "indicative one.";
  return [{ code: "U002", path: rateType, message }];
}

/** In which currency the debtor account must be, and the member that asks for it. */
export type AccountCurrency = { currency: string; member: string };

/**
 * What a payment wants its account to be in; null when it can be paid from any. Sterling at home is
 * paid from pounds; abroad the rate says it, or an amount that is not in what is sent.
 */
export function accountCurrencyOf(
  { currencies }: PaymentKind,
  initiation: Initiation & Record<string, unknown>,
): AccountCurrency | null {
  const ordered = initiation.InstructedAmount?.Currency ?? "";
  const member = "InstructedAmount.Currency";
  if (currencies !== "exchanged") return { currency: ordered, member };
  const unit = textAt(initiation, "ExchangeRateInformation.UnitCurrency");
  if (unit !== undefined) {
    return { currency: unit, member: "ExchangeRateInformation.UnitCurrency" };
  }
  return ordered === textAt(initiation, "CurrencyOfTransfer")
    ? null
    : { currency: ordered, member };
}

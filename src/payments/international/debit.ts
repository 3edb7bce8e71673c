import type { Money } from "#src/lib/money.ts";
import { lowered, type SummaryRow } from "#src/pages/consent-summary.ts";
import { moneyText } from "#src/pages/wording.ts";

// Only this file decides whether the customer is told an exact amount or an estimate.

/** An amount as it is ordered or charged, and in the currency in which it is taken or sent. */
export type PricedPart = {
  from: Money;
  to: Money;
  /** Whether it is converted at a rate that the bank has promised. Charges never are. */
  isPromised?: boolean;
};

/** A part that is taken as it is ordered or charged. */
export const asItIs = (amount: Money): PricedPart => ({ from: amount, to: amount });

/** Whether a part cannot change any more: all else is converted when the payment is made. */
const isExact = ({ from, to, isPromised = false }: PricedPart): boolean =>
  isPromised || from.currency === to.currency;

/** An amount that depends on these parts: `£10.00`, or `About £10.00`. */
export const amountOf = ({ amountMinor, currency }: Money, parts: readonly PricedPart[]): string =>
  `${parts.every(isExact) ? "" : "About "}${moneyText(amountMinor, currency)}`;

/** What leaves the account: for the payments, and for the charges for them. */
type Debit = {
  payments: readonly PricedPart[];
  charge: PricedPart | null;
  /** What happens to it later, in a sentence for after the approval; null for nothing. */
  later?: string | null;
};

/** The row with what leaves the account. The customer confirms it if it is exact. */
export function debitRow({ payments, charge, later = null }: Debit): SummaryRow {
  const parts = [...payments, ...(charge ? [charge] : [])];
  const amountMinor = parts.reduce((sum, { to }) => sum + to.amountMinor, 0n);
  const currency = parts[0]?.to.currency ?? "GBP";
  const isEstimate = !parts.every(isExact);
  const total = { detail: charge && chargeText(charge), isEstimate, later };
  const value = amountOf({ amountMinor, currency }, parts);
  const facts = {
    debit: factOf({ amountMinor, currency }),
    charged: charge ? factOf(charge.to) : "",
  };
  return { label: debitLabel, value, about: "cost", confirmed: !isEstimate, facts, total };
}

const factOf = ({ amountMinor, currency }: Money): string => `${amountMinor} ${currency}`;

/** `including £10.00 in charges`. */
function chargeText(charge: PricedPart): string {
  const included = `including ${lowered(amountOf(charge.to, [charge]))} in charges`;
  return isExact(charge) ? included : `${included}, at the rate at the time of payment`;
}

/** The label of the row with what leaves the account. */
export const debitLabel = "Taken from your account";

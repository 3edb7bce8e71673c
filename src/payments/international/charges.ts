import type { StatedAmount } from "#src/bank/port.ts";
import type { ConsentTerms } from "#src/consents/consent.ts";
import { formatAmount, parseAmount } from "#src/lib/money.ts";
import type { Charge, Initiation } from "#src/payments/payment-kind.ts";
import { networkOf } from "./destination.ts";

// The tariff, in pence: SEPA is free. What other banks on the way take is a flat sum when the
// debtor is to bear it; else they take it themselves.
const swift = { Normal: 1_000n, Urgent: 2_000n };
const otherBanks = 1_200n;

/**
 * The charges of an international payment, in pounds. What the debtor bears, or his share, comes on
 * top in the account's currency; what the creditor bears is taken off. Source: digest 2.9.
 */
export function internationalCharges(initiation: Initiation & Record<string, unknown>): Charge[] {
  if (networkOf({ Data: { Initiation: initiation } }) !== "SWIFT") return [];
  const bearer = typeof initiation.ChargeBearer === "string" ? initiation.ChargeBearer : "Shared";
  const own = initiation.InstructionPriority === "Urgent" ? swift.Urgent : swift.Normal;
  const charge = (Type: string, amountMinor: bigint): Charge => ({
    ChargeBearer: bearer,
    Type,
    Amount: { Amount: formatAmount(amountMinor, "GBP"), Currency: "GBP" },
  });
  const charges = [charge("GB.Aldgate.SWIFTOut", own)];
  return bearer === "BorneByDebtor"
    ? [...charges, charge("GB.Aldgate.OtherBanks", otherBanks)]
    : charges;
}

/** What of a consent's charges the debtor pays on top, and what is taken off for the creditor. */
export function splitCharges({ charges = [] }: ConsentTerms): {
  charge: StatedAmount | null;
  deduction: StatedAmount | null;
} {
  const sum = (borne: (bearer: string) => boolean): StatedAmount | null => {
    const amounts = charges
      .filter(({ ChargeBearer }) => borne(ChargeBearer))
      .map(({ Amount }) => parseAmount(Amount.Amount, Amount.Currency) ?? 0n);
    const amountMinor = amounts.reduce((left, right) => left + right, 0n);
    return amountMinor === 0n
      ? null
      : { amount: formatAmount(amountMinor, "GBP"), currency: "GBP" };
  };
  return {
    charge: sum((bearer) => bearer !== "BorneByCreditor"),
    deduction: sum((bearer) => bearer === "BorneByCreditor"),
  };
}

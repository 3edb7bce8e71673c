import type { BankCharge, ChargedPayment } from "#src/bank/port.ts";

// In pence. SEPA and Faster Payments are free. The charges of other banks are a flat sum if the
// debtor bears them; otherwise the other banks deduct their charges.
const chaps = 2_000n;
const swift = { normal: 1_000n, urgent: 2_000n };
const otherBanks = 1_200n;

/** Returns the sandbox bank's charges for a payment. Source: PISP profile, OBCharge2. */
export function sandboxCharges(payment: ChargedPayment): BankCharge[] {
  const { localInstrument, network, chargeBearer, isUrgent } = payment;
  if (network === null) {
    if (localInstrument !== "UK.OBIE.CHAPS") return [];
    return [charge("BorneByDebtor", "UK.OBIE.CHAPSOut", chaps)];
  }
  if (network !== "SWIFT") return [];
  const bearer = chargeBearer ?? "Shared";
  const own = charge(bearer, "GB.Aldgate.SWIFTOut", isUrgent ? swift.urgent : swift.normal);
  return bearer === "BorneByDebtor"
    ? [own, charge(bearer, "GB.Aldgate.OtherBanks", otherBanks)]
    : [own];
}

const charge = (chargeBearer: string, type: string, pence: bigint): BankCharge => ({
  chargeBearer,
  type,
  amount: { amountMinor: pence, currency: "GBP" },
});

import { chargesBy, type TariffRow } from "#src/bank/tariff.ts";

const pence = (amountMinor: bigint) => ({ amountMinor, currency: "GBP" });

/**
 * The sandbox bank's tariff. SEPA and Faster Payments are free. The charges of other banks are a
 * flat sum if the debtor bears them; otherwise the other banks deduct their charges. Source: PISP
 * profile, OBCharge2.
 */
export const sandboxTariff: readonly TariffRow[] = [
  {
    applies: { networks: ["domestic"], localInstruments: ["UK.OBIE.CHAPS"] },
    charge: { chargeBearer: "BorneByDebtor", type: "UK.OBIE.CHAPSOut", amount: pence(2_000n) },
  },
  {
    applies: { networks: ["SWIFT"], isUrgent: false },
    charge: { chargeBearer: null, type: "GB.Aldgate.SWIFTOut", amount: pence(1_000n) },
  },
  {
    applies: { networks: ["SWIFT"], isUrgent: true },
    charge: { chargeBearer: null, type: "GB.Aldgate.SWIFTOut", amount: pence(2_000n) },
  },
  {
    applies: { networks: ["SWIFT"], chargeBearers: ["BorneByDebtor"] },
    charge: { chargeBearer: null, type: "GB.Aldgate.OtherBanks", amount: pence(1_200n) },
  },
];

/** Returns the sandbox bank's charges for a payment. */
export const sandboxCharges = chargesBy(sandboxTariff);

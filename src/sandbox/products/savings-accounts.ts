import { type BankProduct, creditBands } from "./bank-product.ts";
import type { CreditTier } from "./rates.ts";

type Given = { id: string; name: string; description: string; credit: readonly CreditTier[] };

// The four-letter codes mean: the whole balance at one rate, compound, credited to the account
// itself, monthly, variable, gross. Source: OBReadProduct2: OtherProductType.
const savings = ({ id, name, description, credit }: Given): BankProduct => ({
  credit,
  debit: null,
  details: {
    ProductId: id,
    ProductName: name,
    ProductType: "Other",
    OtherProductType: {
      Name: name,
      Description: description,
      ProductDetails: {
        MonthlyMaximumCharge: "0.00",
        Notes: ["Money can be paid in and taken out at any time, without notice or charge."],
      },
      CreditInterest: {
        TierBandSet: [
          {
            TierBandMethod: "INWH",
            CalculationMethod: "ITCO",
            Destination: "INSC",
            Notes: ["Calculated on the balance at the start of the month, and paid on the 28th."],
            TierBand: creditBands(credit).map((band) => ({
              ...band,
              CalculationFrequency: "FQMY",
              ApplicationFrequency: "FQMY",
              DepositInterestAppliedCoverage: "INWH",
              FixedVariableInterestRateType: "INVA",
              BankInterestRateType: "INGR",
            })),
          },
        ],
      },
    },
  },
});

/** The personal savings account: a higher balance earns a higher rate. */
export const instantSaver = savings({
  id: "ALDG-SAV-INSTANT",
  name: "Instant Saver",
  description: "Instant-access savings with tiered interest rates",
  credit: [
    { from: 0, yearly: "1.20" },
    { from: 100_000, yearly: "4.10" },
    { from: 1_000_000, yearly: "4.35" },
  ],
});

/** A personal customer's savings for one purpose. */
export const savingsPot = savings({
  id: "ALDG-SAV-POT",
  name: "Savings Pot",
  description: "A savings pot for one purpose, alongside a current account",
  credit: [{ from: 0, yearly: "3.75" }],
});

/** The savings account of a business. */
export const businessSaver = savings({
  id: "ALDG-SAV-BUSINESS",
  name: "Business Saver",
  description: "Instant-access savings for a business",
  credit: [{ from: 0, yearly: "3.20" }],
});

import Type from "typebox";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { creditInterest, overdraft, overdraftFees, serviceFees } from "./current-account.ts";
import { feeCap, notes, otherWord, overdraftFeeType } from "./product-parts.ts";

const periods = ["Day", "Half Year", "Month", "Quarter", "Week", "Year"] as const;
const rateTypes = ["Gross", "Other"] as const;
const tierMethods = ["Banded", "Tiered", "Whole"] as const;
const interestFrequencies = [
  "Daily",
  "HalfYearly",
  "Monthly",
  "Other",
  "PerStatementDate",
  "Quarterly",
  "Weekly",
  "Yearly",
] as const;
const feeFrequencies = [
  "ChargingPeriod",
  "Daily",
  "Monthly",
  "OnAnniversary",
  "OnClosing",
  "OnOpening",
  "Other",
  "PerHour",
  "PerHundredPounds",
  "PerItem",
  "PerOccurrence",
  "PerSheet",
  "PerTransaction",
  "PerTransactionAmount",
  "PerTransactionPercentage",
  "Quarterly",
  "SixMonthly",
  "StatementMonthly",
  "Weekly",
  "Yearly",
] as const;

const overdraftFeeCaps = Type.Optional(Type.Array(open(feeCap(overdraftFeeType, periods))));

const fees = overdraftFees({
  rateTypes,
  frequencies: feeFrequencies,
  caps: { all: overdraftFeeCaps, one: overdraftFeeCaps },
  members: { NegotiableIndicator: Type.Optional(Type.Boolean()) },
});

const serviceFee = oneOf([
  "Other",
  "ServiceCAccountFee",
  "ServiceCAccountFeeMonthly",
  "ServiceCAccountFeeQuarterly",
  "ServiceCBusiDepAccBreakage",
  "ServiceCFixedTariff",
  "ServiceCMinimumMonthlyFee",
  "ServiceCOther",
]);

const serviceFeeCaps = Type.Optional(Type.Array(open(feeCap(serviceFee, periods))));

/** The terms of a business current account. Source: OBBCAData1. */
export const businessCurrentAccount = closed(
  {
    ProductDetails: Type.Optional(
      closed({
        Segment: Type.Optional(
          Type.Array(
            oneOf([
              "ClientAccount",
              "NonCommercialChaitiesClbSoc",
              "NonCommercialPublicAuthGovt",
              "Religious",
              "SectorSpecific",
              "Standard",
              "Startup",
              "Switcher",
            ]),
          ),
        ),
        FeeFreeLength: Type.Optional(Type.Number({ format: "float" })),
        FeeFreeLengthPeriod: Type.Optional(oneOf(periods)),
        Notes: notes,
      }),
    ),
    CreditInterest: Type.Optional(
      creditInterest({
        tierMethods,
        frequencies: interestFrequencies,
        rateTypes,
        destination: oneOf(["PayAway", "SelfCredit"]),
      }),
    ),
    Overdraft: Type.Optional(
      overdraft({
        types: ["Committed", "OnDemand"],
        coverage: tierMethods,
        fees,
        bandMembers: {
          AgreementLengthMin: Type.Optional(Type.Number({ format: "float" })),
          AgreementLengthMax: Type.Optional(Type.Number({ format: "float" })),
          AgreementPeriod: Type.Optional(oneOf(periods)),
        },
      }),
    ),
    OtherFeesCharges: Type.Optional(
      Type.Array(
        open({
          TariffType: Type.Optional(oneOf(["Electronic", "Mixed", "Other"])),
          TariffName: Type.Optional(text(350)),
          OtherTariffType: Type.Optional(otherWord),
          ...serviceFees({
            feeType: serviceFee,
            rateTypes,
            frequencies: feeFrequencies,
            caps: serviceFeeCaps,
            members: { NegotiableIndicator: Type.Optional(Type.Boolean()) },
          }),
        }),
      ),
    ),
  },
  { title: "OBBCAData1" },
);

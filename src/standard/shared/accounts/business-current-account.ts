import Type from "typebox";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import {
  creditTierBand,
  feeApplicableRange,
  feeCap,
  feeOthers,
  feePrice,
  notes,
  otherFeeWord,
  otherWord,
  overdraftFeeType,
  productAmount,
  productRate,
  some,
} from "./product-parts.ts";

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

const overdraftFeesCharges = Type.Array(
  open({
    OverdraftFeeChargeCap: overdraftFeeCaps,
    OverdraftFeeChargeDetail: some(
      open({
        FeeType: overdraftFeeType,
        NegotiableIndicator: Type.Optional(Type.Boolean()),
        OverdraftControlIndicator: Type.Optional(Type.Boolean()),
        IncrementalBorrowingAmount: Type.Optional(productAmount),
        ...feePrice(rateTypes, feeFrequencies),
        OverdraftFeeChargeCap: overdraftFeeCaps,
        OtherFeeType: Type.Optional(otherWord),
        ...feeOthers,
      }),
    ),
  }),
);

const overdraft = closed({
  Notes: notes,
  OverdraftTierBandSet: some(
    open({
      TierBandMethod: oneOf(tierMethods),
      OverdraftType: Type.Optional(oneOf(["Committed", "OnDemand"])),
      Identification: Type.Optional(text(35)),
      AuthorisedIndicator: Type.Optional(Type.Boolean()),
      BufferAmount: Type.Optional(productAmount),
      Notes: notes,
      OverdraftTierBand: some(
        open({
          Identification: Type.Optional(text(35)),
          TierValueMin: productAmount,
          TierValueMax: Type.Optional(productAmount),
          EAR: Type.Optional(productRate),
          RepresentativeAPR: Type.Optional(productRate),
          AgreementLengthMin: Type.Optional(Type.Number({ format: "float" })),
          AgreementLengthMax: Type.Optional(Type.Number({ format: "float" })),
          AgreementPeriod: Type.Optional(oneOf(periods)),
          OverdraftInterestChargingCoverage: Type.Optional(oneOf(tierMethods)),
          BankGuaranteedIndicator: Type.Optional(Type.Boolean()),
          Notes: notes,
          OverdraftFeesCharges: Type.Optional(overdraftFeesCharges),
        }),
      ),
      OverdraftFeesCharges: Type.Optional(overdraftFeesCharges),
    }),
  ),
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
      closed({
        TierBandSet: some(
          open({
            TierBandMethod: oneOf(tierMethods),
            CalculationMethod: Type.Optional(oneOf(["Compound", "SimpleInterest"])),
            Destination: oneOf(["PayAway", "SelfCredit"]),
            Notes: notes,
            TierBand: some(creditTierBand(interestFrequencies, tierMethods, rateTypes)),
          }),
        ),
      }),
    ),
    Overdraft: Type.Optional(overdraft),
    OtherFeesCharges: Type.Optional(
      Type.Array(
        open({
          TariffType: Type.Optional(oneOf(["Electronic", "Mixed", "Other"])),
          TariffName: Type.Optional(text(350)),
          OtherTariffType: Type.Optional(otherWord),
          FeeChargeDetail: some(
            open({
              FeeCategory: oneOf(["Other", "Servicing"]),
              FeeType: serviceFee,
              NegotiableIndicator: Type.Optional(Type.Boolean()),
              ...feePrice(rateTypes, feeFrequencies),
              FeeChargeCap: serviceFeeCaps,
              OtherFeeCategoryType: Type.Optional(otherWord),
              OtherFeeType: Type.Optional(otherFeeWord),
              ...feeOthers,
              FeeApplicableRange: Type.Optional(feeApplicableRange),
            }),
          ),
          FeeChargeCap: serviceFeeCaps,
        }),
      ),
    ),
  },
  { title: "OBBCAData1" },
);

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

const periods = ["AcademicTerm", "Day", "Half Year", "Month", "Quarter", "Week", "Year"] as const;
const rateTypes = ["Gross", "LinkedBaseRate", "Net", "Other"] as const;
const tierMethods = ["Tiered", "Whole"] as const;
const interestFrequencies = [
  "Daily",
  "HalfYearly",
  "Monthly",
  "Other",
  "PerAcademicTerm",
  "PerStatementDate",
  "Quarterly",
  "Weekly",
  "Yearly",
] as const;
const feeFrequencies = [
  "AcademicTerm",
  "AccountClosing",
  "AccountOpening",
  "ChargingPeriod",
  "Daily",
  "Monthly",
  "OnAccountAnniversary",
  "Other",
  "PerHour",
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

const overdraftFeeCap = {
  ...feeCap(overdraftFeeType, periods),
  OverdraftControlIndicator: Type.Optional(Type.Boolean()),
};

const overdraftFeesCharges = Type.Array(
  open({
    OverdraftFeeChargeCap: Type.Optional(Type.Array(open(overdraftFeeCap))),
    OverdraftFeeChargeDetail: some(
      open({
        FeeType: overdraftFeeType,
        OverdraftControlIndicator: Type.Optional(Type.Boolean()),
        IncrementalBorrowingAmount: Type.Optional(productAmount),
        ...feePrice(rateTypes, feeFrequencies),
        OtherFeeType: Type.Optional(otherWord),
        ...feeOthers,
        OverdraftFeeChargeCap: Type.Optional(closed(overdraftFeeCap)),
      }),
    ),
  }),
);

const overdraft = closed({
  Notes: notes,
  OverdraftTierBandSet: some(
    open({
      TierBandMethod: oneOf(["Banded", "Tiered", "Whole"]),
      OverdraftType: Type.Optional(oneOf(["Committed", "OnDemand", "Other"])),
      Identification: Type.Optional(text(35)),
      AuthorisedIndicator: Type.Optional(Type.Boolean()),
      BufferAmount: Type.Optional(productAmount),
      Notes: notes,
      OverdraftTierBand: some(
        open({
          Identification: Type.Optional(text(35)),
          TierValueMin: productAmount,
          TierValueMax: Type.Optional(productAmount),
          OverdraftInterestChargingCoverage: Type.Optional(oneOf(tierMethods)),
          BankGuaranteedIndicator: Type.Optional(Type.Boolean()),
          EAR: Type.Optional(productRate),
          RepresentativeAPR: Type.Optional(productRate),
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
  "ServiceCOther",
]);

const serviceFeeCaps = Type.Optional(Type.Array(open(feeCap(serviceFee, periods))));

/** The terms of a personal current account. Source: OBPCAData1. */
export const personalCurrentAccount = closed(
  {
    ProductDetails: Type.Optional(
      closed({
        Segment: Type.Optional(
          Type.Array(
            oneOf([
              "Basic",
              "BenefitAndReward",
              "Cashback",
              "CreditInterest",
              "General",
              "Graduate",
              "Other",
              "Overdraft",
              "Packaged",
              "Premium",
              "Reward",
              "Student",
              "YoungAdult",
              "Youth",
            ]),
          ),
        ),
        MonthlyMaximumCharge: Type.Optional(productAmount),
        Notes: notes,
      }),
    ),
    CreditInterest: Type.Optional(
      closed({
        TierBandSet: some(
          open({
            TierBandMethod: oneOf(tierMethods),
            CalculationMethod: Type.Optional(oneOf(["Compound", "SimpleInterest"])),
            Destination: Type.Optional(oneOf(["PayAway", "SelfCredit"])),
            Notes: notes,
            TierBand: some(creditTierBand(interestFrequencies, tierMethods, rateTypes)),
          }),
        ),
      }),
    ),
    Overdraft: Type.Optional(overdraft),
    OtherFeesCharges: Type.Optional(
      closed({
        FeeChargeDetail: some(
          open({
            FeeCategory: oneOf(["Other", "Servicing"]),
            FeeType: serviceFee,
            ...feePrice(rateTypes, feeFrequencies),
            OtherFeeCategoryType: Type.Optional(otherWord),
            OtherFeeType: Type.Optional(otherFeeWord),
            ...feeOthers,
            FeeChargeCap: serviceFeeCaps,
            FeeApplicableRange: Type.Optional(feeApplicableRange),
          }),
        ),
        FeeChargeCap: serviceFeeCaps,
      }),
    ),
  },
  { title: "OBPCAData1" },
);

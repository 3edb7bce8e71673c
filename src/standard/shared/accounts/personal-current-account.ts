import Type from "typebox";
import { closed, oneOf, open } from "#src/standard/shared/schema.ts";
import { creditInterest, overdraft, overdraftFees, serviceFees } from "./current-account.ts";
import { feeCap, notes, overdraftFeeType, productAmount } from "./product-parts.ts";

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

const fees = overdraftFees({
  rateTypes,
  frequencies: feeFrequencies,
  caps: {
    all: Type.Optional(Type.Array(open(overdraftFeeCap))),
    one: Type.Optional(closed(overdraftFeeCap)),
  },
  members: {},
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
      creditInterest({
        tierMethods,
        frequencies: interestFrequencies,
        rateTypes,
        destination: Type.Optional(oneOf(["PayAway", "SelfCredit"])),
      }),
    ),
    Overdraft: Type.Optional(
      overdraft({
        types: ["Committed", "OnDemand", "Other"],
        coverage: tierMethods,
        fees,
        bandMembers: {},
      }),
    ),
    OtherFeesCharges: Type.Optional(
      closed(
        serviceFees({
          feeType: serviceFee,
          rateTypes,
          frequencies: feeFrequencies,
          caps: serviceFeeCaps,
          members: {},
        }),
      ),
    ),
  },
  { title: "OBPCAData1" },
);

import Type, { type TSchema } from "typebox";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";

/** An amount without currency, which is the account's: `850.00`. Source: OB_Amount1. */
export const productAmount = Type.String({
  pattern: String.raw`^(-?\d{1,14}){1}(\.\d{1,4}){0,1}$`,
});

const ratePattern = String.raw`^(-?\d{1,3}){1}(\.\d{1,4}){0,1}$`;

/** A rate in percent: `4.10`. Source: OB_Rate1. */
export const productRate = Type.String({ pattern: ratePattern });

/** The same rate where its length is limited besides. Source: E-063. */
export const limitedRate = Type.String({ pattern: ratePattern, maxLength: 40 });

/** Free text for facts that numbers and codes cannot express. */
export const notes = Type.Optional(Type.Array(text(2000)));

const names = { Name: text(70), Description: text(350) };

/** Up to four word characters. Source: E-065. */
export const fourLetterPattern = String.raw`^\w{0,4}$`;

const code = Type.Optional(
  Type.String({ pattern: String.raw`^\w{0,4}$`, minLength: 0, maxLength: 4 }),
);
const fourLetterCode = Type.Optional(Type.String({ pattern: fourLetterPattern }));

/** Describes what a current account's model calls `Other`. */
export const otherWord = closed({ Code: code, ...names });

/** The same in a list, where members that it does not name are tolerated. */
const otherWordOfList = open({ Code: code, ...names });

/** Describes what another product's model calls `Other`. */
export const otherCode = closed({ Code: fourLetterCode, ...names });

/** The same where members that it does not name are tolerated. */
export const otherCodeOpen = open({ Code: fourLetterCode, ...names });

/** Describes a fee that the current account's model calls `Other`. */
export const otherFeeWord = closed({
  Code: code,
  FeeCategory: oneOf(["Other", "Servicing"]),
  ...names,
});

/** Describes a fee that the other product's model calls `Other`. */
export const otherFeeCode = closed({
  Code: fourLetterCode,
  FeeCategory: oneOf(["FCOT", "FCRE", "FCSV"]),
  ...names,
});

/** A list that has one item at least. */
export const some = <Item extends TSchema>(item: Item) => Type.Array(item, { minItems: 1 });

const rangeMembers = {
  MinimumAmount: Type.Optional(productAmount),
  MaximumAmount: Type.Optional(productAmount),
  MinimumRate: Type.Optional(productRate),
  MaximumRate: Type.Optional(productRate),
};

/** The amounts or rates between which a fee applies. */
export const feeApplicableRange = closed(rangeMembers);

/** The same where members that it does not name are tolerated. */
export const feeApplicableRangeOpen = open(rangeMembers);

/** Kinds of fee for an overdraft, in both models. Source: OBBCAData1, OBPCAData1. */
export const overdraftFeeType = oneOf([
  "AnnualReview",
  "ArrangedOverdraft",
  "BorrowingItem",
  "EmergencyBorrowing",
  "Other",
  "OverdraftRenewal",
  "OverdraftSetup",
  "Surcharge",
  "TempOverdraft",
  "UnauthorisedBorrowing",
  "UnauthorisedPaidTrans",
  "UnauthorisedUnpaidTrans",
]);

/** Members of a cap on fees: how often they are taken, or how much, in a period. */
export const feeCap = <Fee extends TSchema, Period extends string>(
  feeType: Fee,
  period: readonly Period[],
) => ({
  FeeType: some(feeType),
  MinMaxType: oneOf(["Maximum", "Minimum"]),
  FeeCapOccurrence: Type.Optional(Type.Number({ format: "float" })),
  FeeCapAmount: Type.Optional(productAmount),
  CappingPeriod: Type.Optional(oneOf(period)),
  Notes: notes,
  OtherFeeType: Type.Optional(Type.Array(otherWordOfList)),
});

/** Members of a fee: how much, and how often it is taken and worked out. */
export const feePrice = <RateType extends string, Frequency extends string>(
  rateType: readonly RateType[],
  frequency: readonly Frequency[],
) => ({
  FeeAmount: Type.Optional(productAmount),
  FeeRate: Type.Optional(productRate),
  FeeRateType: Type.Optional(oneOf(rateType)),
  ApplicationFrequency: oneOf(frequency),
  CalculationFrequency: Type.Optional(oneOf(frequency)),
  Notes: notes,
});

/** Members that describe what a fee's other members call `Other`. */
export const feeOthers = {
  OtherFeeRateType: Type.Optional(otherWord),
  OtherApplicationFrequency: Type.Optional(otherWord),
  OtherCalculationFrequency: Type.Optional(otherWord),
};

/** A band of credit balances with the interest that it earns. */
export const creditTierBand = <
  Frequency extends string,
  Coverage extends string,
  RateType extends string,
>(
  frequency: readonly Frequency[],
  coverage: readonly Coverage[],
  rateType: readonly RateType[],
) =>
  open({
    Identification: Type.Optional(text(35)),
    TierValueMinimum: productAmount,
    TierValueMaximum: Type.Optional(productAmount),
    CalculationFrequency: Type.Optional(oneOf(frequency)),
    ApplicationFrequency: oneOf(frequency),
    DepositInterestAppliedCoverage: Type.Optional(oneOf(coverage)),
    FixedVariableInterestRateType: oneOf(["Fixed", "Variable"]),
    AER: productRate,
    BankInterestRateType: Type.Optional(oneOf(rateType)),
    BankInterestRate: Type.Optional(productRate),
    Notes: notes,
    OtherBankInterestType: Type.Optional(otherWord),
    OtherApplicationFrequency: Type.Optional(otherWord),
    OtherCalculationFrequency: Type.Optional(otherWord),
  });

import Type, { type TSchema } from "typebox";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";
import { supplementaryData } from "./parties.ts";
import {
  feeApplicableRangeOpen,
  notes,
  otherCode,
  otherCodeOpen,
  otherFeeCode,
  productAmount,
  productRate,
  some,
} from "./product-parts.ts";

// Codes of four letters, where the current accounts have words. Source: OBReadProduct2.
const period = oneOf(["PACT", "PDAY", "PHYR", "PMTH", "PQTR", "PWEK", "PYER"]);
const coverage = oneOf(["INBA", "INTI", "INWH"]);
const rateType = oneOf(["INBB", "INFR", "INGR", "INLR", "INNE", "INOT"]);
const interestKind = oneOf(["INFI", "INVA"]);
const calculationMethod = oneOf(["ITCO", "ITOT", "ITSI"]);
const interestFrequency = oneOf("FQAT FQDY FQHY FQMY FQOT FQQY FQSD FQWY FQYY".split(" "));
const feeFrequency = oneOf(
  (
    "FEAC FEAO FECP FEDA FEHO FEI FEMO FEOA FEOT FEPC FEPH FEPO FEPS FEPT FEPTA FEPTP FEQU FESM " +
    "FEST FEWE FEYE"
  ).split(" "),
);
const overdraftFee = oneOf(
  "FBAO FBAR FBEB FBIT FBOR FBOS FBSC FBTO FBUB FBUT FTOT FTUT".split(" "),
);
const fee = oneOf("FEPF FTOT FYAF FYAM FYAQ FYCP FYDB FYMI FYXX".split(" "));

const feeCap = (feeType: TSchema, cappingPeriod: TSchema) =>
  open({
    FeeType: some(feeType),
    MinMaxType: oneOf(["FMMN", "FMMX"]),
    FeeCapOccurrence: Type.Optional(Type.Integer()),
    FeeCapAmount: Type.Optional(productAmount),
    CappingPeriod: Type.Optional(cappingPeriod),
    Notes: notes,
    OtherFeeType: Type.Optional(Type.Array(otherCodeOpen)),
  });

const price = {
  NegotiableIndicator: Type.Optional(Type.Boolean()),
  FeeAmount: Type.Optional(productAmount),
  FeeRate: Type.Optional(productRate),
  FeeRateType: Type.Optional(rateType),
  ApplicationFrequency: feeFrequency,
  CalculationFrequency: Type.Optional(feeFrequency),
  Notes: notes,
  OtherFeeRateType: Type.Optional(otherCode),
  OtherApplicationFrequency: Type.Optional(otherCode),
  OtherCalculationFrequency: Type.Optional(otherCode),
};

const feeDetail = { FeeType: fee, ...price, OtherFeeType: Type.Optional(otherFeeCode) };
const loanFeeDetail = open({ ...feeDetail, CalculationFrequency: feeFrequency });

const creditInterest = open({
  TierBandSet: some(
    open({
      TierBandMethod: coverage,
      CalculationMethod: Type.Optional(calculationMethod),
      Destination: oneOf(["INOT", "INPA", "INSC"]),
      Notes: notes,
      OtherCalculationMethod: Type.Optional(otherCode),
      OtherDestination: Type.Optional(otherCode),
      TierBand: some(
        open({
          Identification: Type.Optional(text(35)),
          TierValueMinimum: productAmount,
          TierValueMaximum: Type.Optional(productAmount),
          CalculationFrequency: Type.Optional(interestFrequency),
          ApplicationFrequency: interestFrequency,
          DepositInterestAppliedCoverage: Type.Optional(coverage),
          FixedVariableInterestRateType: interestKind,
          AER: productRate,
          BankInterestRateType: Type.Optional(rateType),
          BankInterestRate: Type.Optional(productRate),
          Notes: notes,
          OtherBankInterestType: Type.Optional(otherCodeOpen),
          OtherApplicationFrequency: Type.Optional(otherCode),
          OtherCalculationFrequency: Type.Optional(otherCode),
        }),
      ),
    }),
  ),
});

const overdraftFeeCaps = Type.Optional(Type.Array(feeCap(overdraftFee, period)));

const overdraftFeesCharges = Type.Array(
  open({
    OverdraftFeeChargeCap: overdraftFeeCaps,
    OverdraftFeeChargeDetail: some(
      open({
        FeeType: overdraftFee,
        OverdraftControlIndicator: Type.Optional(Type.Boolean()),
        IncrementalBorrowingAmount: Type.Optional(productAmount),
        ...price,
        OverdraftFeeChargeCap: overdraftFeeCaps,
        OtherFeeType: Type.Optional(otherCode),
      }),
    ),
  }),
);

const overdraft = open({
  Notes: notes,
  OverdraftTierBandSet: some(
    open({
      TierBandMethod: coverage,
      OverdraftType: Type.Optional(oneOf(["OVCO", "OVOD", "OVOT"])),
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
          AgreementLengthMin: Type.Optional(Type.Integer()),
          AgreementLengthMax: Type.Optional(Type.Integer()),
          AgreementPeriod: Type.Optional(period),
          OverdraftInterestChargingCoverage: Type.Optional(coverage),
          BankGuaranteedIndicator: Type.Optional(Type.Boolean()),
          Notes: notes,
          OverdraftFeesCharges: Type.Optional(overdraftFeesCharges),
        }),
      ),
      OverdraftFeesCharges: Type.Optional(overdraftFeesCharges),
    }),
  ),
});

const loanFeesCharges = Type.Array(
  open({
    LoanInterestFeeChargeDetail: some(loanFeeDetail),
    // capped by a frequency where all others have a period
    LoanInterestFeeChargeCap: Type.Optional(Type.Array(feeCap(fee, feeFrequency))),
  }),
);

const loanInterest = open({
  Notes: notes,
  LoanInterestTierBandSet: some(
    open({
      TierBandMethod: coverage,
      Identification: Type.Optional(text(35)),
      CalculationMethod: calculationMethod,
      Notes: notes,
      OtherCalculationMethod: Type.Optional(otherCode),
      LoanInterestTierBand: some(
        open({
          Identification: Type.Optional(text(35)),
          TierValueMinimum: productAmount,
          TierValueMaximum: Type.Optional(productAmount),
          TierValueMinTerm: Type.Integer(),
          MinTermPeriod: period,
          TierValueMaxTerm: Type.Optional(Type.Integer()),
          MaxTermPeriod: Type.Optional(period),
          FixedVariableInterestRateType: interestKind,
          RepAPR: productRate,
          LoanProviderInterestRateType: Type.Optional(rateType),
          LoanProviderInterestRate: Type.Optional(productRate),
          Notes: notes,
          OtherLoanProviderInterestRateType: Type.Optional(otherCodeOpen),
          LoanInterestFeesCharges: Type.Optional(loanFeesCharges),
        }),
      ),
      LoanInterestFeesCharges: Type.Optional(loanFeesCharges),
    }),
  ),
});

const repayment = open({
  RepaymentType: Type.Optional(
    oneOf("USBA USBU USCI USCS USER USFA USFB USFI USIO USOT USPF USRW USSL".split(" ")),
  ),
  RepaymentFrequency: Type.Optional(
    oneOf("SMDA SMFL SMFO SMHY SMMO SMOT SMQU SMWE SMYE".split(" ")),
  ),
  AmountType: Type.Optional(oneOf("RABD RABL RACI RAFC RAIO RALT USOT".split(" "))),
  Notes: notes,
  OtherRepaymentType: Type.Optional(otherCodeOpen),
  OtherRepaymentFrequency: Type.Optional(otherCodeOpen),
  OtherAmountType: Type.Optional(otherCodeOpen),
  RepaymentFeeCharges: Type.Optional(
    open({
      RepaymentFeeChargeDetail: some(loanFeeDetail),
      RepaymentFeeChargeCap: Type.Optional(Type.Array(feeCap(fee, period))),
    }),
  ),
  RepaymentHoliday: Type.Optional(
    Type.Array(
      open({
        MaxHolidayLength: Type.Optional(Type.Integer()),
        MaxHolidayPeriod: Type.Optional(period),
        Notes: notes,
      }),
    ),
  ),
});

const feeCaps = Type.Optional(Type.Array(feeCap(fee, period)));

const otherFeesCharges = Type.Array(
  open({
    TariffType: Type.Optional(oneOf(["TTEL", "TTMX", "TTOT"])),
    TariffName: Type.Optional(text(350)),
    OtherTariffType: Type.Optional(otherCodeOpen),
    FeeChargeDetail: some(
      open({
        FeeCategory: oneOf(["FCOT", "FCRE", "FCSV"]),
        ...feeDetail,
        FeeChargeCap: feeCaps,
        OtherFeeCategoryType: Type.Optional(otherCode),
        FeeApplicableRange: Type.Optional(feeApplicableRangeOpen),
      }),
    ),
    FeeChargeCap: feeCaps,
  }),
);

const segments =
  "GEAS GEBA GEBR GEBU GECI GECS GEFB GEFG GEG GEGR GEGS GEOT GEOV GEPA GEPR GERE GEST GEYA GEYO " +
  "PSCA PSES PSNC PSNP PSRG PSSS PSST PSSW";

/** The terms of a product without a specific model. Source: OBReadProduct2, A-159. */
export const otherProductType = open({
  Name: text(350),
  Description: text(350),
  ProductDetails: Type.Optional(
    open({
      Segment: Type.Optional(Type.Array(oneOf(segments.split(" ")))),
      FeeFreeLength: Type.Optional(Type.Integer()),
      FeeFreeLengthPeriod: Type.Optional(period),
      MonthlyMaximumCharge: Type.Optional(productAmount),
      Notes: notes,
      OtherSegment: Type.Optional(otherCode),
    }),
  ),
  CreditInterest: Type.Optional(creditInterest),
  Overdraft: Type.Optional(overdraft),
  LoanInterest: Type.Optional(loanInterest),
  Repayment: Type.Optional(repayment),
  OtherFeesCharges: Type.Optional(otherFeesCharges),
  SupplementaryData: Type.Optional(supplementaryData),
});

import type { BankProduct } from "./bank-product.ts";
import { effectiveYearly } from "./rates.ts";

const everydayOverdraft = "33.90";

const paymentFee = (Name: string, FeeAmount: string, Description: string) => ({
  FeeCategory: "Other" as const,
  FeeType: "Other" as const,
  FeeAmount,
  ApplicationFrequency: "PerTransaction" as const,
  OtherFeeType: { FeeCategory: "Other" as const, Name, Description },
});

// the bank's payment tariff, the same for every current account
const paymentFees = [
  paymentFee("CHAPS payment", "20.00", "Sending a payment by CHAPS on the same day"),
  paymentFee("SWIFT payment", "10.00", "Sending a payment abroad by SWIFT"),
  paymentFee("Urgent SWIFT payment", "20.00", "Sending an urgent payment abroad by SWIFT"),
];

/**
 * The personal current account: no monthly fee, no credit interest, and an overdraft on request.
 */
export const everydayAccount: BankProduct = {
  credit: [],
  debit: everydayOverdraft,
  details: {
    ProductId: "ALDG-PCA-EVERYDAY",
    ProductName: "Everyday Account",
    ProductType: "PersonalCurrentAccount",
    PCA: {
      ProductDetails: {
        Segment: ["General"],
        MonthlyMaximumCharge: "12.00",
        Notes: ["The monthly maximum charge covers only charges for unpaid items."],
      },
      Overdraft: {
        Notes: ["Overdrafts depend on your circumstances and are repayable on demand."],
        OverdraftTierBandSet: [
          {
            Identification: "Arranged overdraft",
            TierBandMethod: "Whole",
            OverdraftType: "OnDemand",
            AuthorisedIndicator: true,
            OverdraftTierBand: [
              {
                Identification: "Arranged overdraft",
                TierValueMin: "0.00",
                OverdraftInterestChargingCoverage: "Whole",
                EAR: effectiveYearly(everydayOverdraft),
                RepresentativeAPR: effectiveYearly(everydayOverdraft),
                Notes: [
                  "Interest is charged every month on the overdrawn balance at the start of the " +
                    `month, at ${everydayOverdraft}% a year (variable).`,
                ],
              },
            ],
          },
          {
            Identification: "Unarranged overdraft",
            TierBandMethod: "Whole",
            OverdraftType: "OnDemand",
            AuthorisedIndicator: false,
            OverdraftTierBand: [{ TierValueMin: "0.00" }],
            OverdraftFeesCharges: [
              {
                OverdraftFeeChargeDetail: [
                  {
                    FeeType: "UnauthorisedUnpaidTrans",
                    FeeAmount: "12.00",
                    ApplicationFrequency: "PerItem",
                    CalculationFrequency: "PerItem",
                    Notes: [
                      "For a payment that we do not make because there is not enough money " +
                        "in the account.",
                    ],
                  },
                ],
                OverdraftFeeChargeCap: [
                  {
                    FeeType: ["UnauthorisedUnpaidTrans"],
                    MinMaxType: "Maximum",
                    FeeCapAmount: "12.00",
                    CappingPeriod: "Month",
                  },
                ],
              },
            ],
          },
        ],
      },
      OtherFeesCharges: {
        FeeChargeDetail: [
          {
            FeeCategory: "Servicing",
            FeeType: "ServiceCAccountFeeMonthly",
            FeeAmount: "0.00",
            ApplicationFrequency: "Monthly",
          },
          ...paymentFees,
        ],
      },
    },
  },
};

/** The business current account: a monthly charge, and an arranged overdraft. */
export const businessAccount: BankProduct = {
  credit: [],
  debit: "12.50",
  details: {
    ProductId: "ALDG-BCA-BUSINESS",
    ProductName: "Business Account",
    ProductType: "BusinessCurrentAccount",
    BCA: {
      ProductDetails: {
        Segment: ["Standard"],
        FeeFreeLength: 12,
        FeeFreeLengthPeriod: "Month",
        Notes: ["The fee-free period is for businesses in their first year."],
      },
      Overdraft: {
        OverdraftTierBandSet: [
          {
            Identification: "Arranged overdraft",
            TierBandMethod: "Whole",
            OverdraftType: "OnDemand",
            AuthorisedIndicator: true,
            OverdraftTierBand: [
              {
                Identification: "Arranged overdraft",
                TierValueMin: "0.00",
                EAR: effectiveYearly("12.50"),
                AgreementLengthMin: 1,
                AgreementLengthMax: 1,
                AgreementPeriod: "Year",
                OverdraftInterestChargingCoverage: "Whole",
                BankGuaranteedIndicator: false,
              },
            ],
            OverdraftFeesCharges: [
              {
                OverdraftFeeChargeDetail: [
                  {
                    FeeType: "OverdraftSetup",
                    NegotiableIndicator: true,
                    FeeAmount: "0.00",
                    ApplicationFrequency: "OnOpening",
                  },
                ],
              },
            ],
          },
        ],
      },
      OtherFeesCharges: [
        {
          TariffType: "Electronic",
          TariffName: "Business Account tariff",
          FeeChargeDetail: [
            {
              FeeCategory: "Servicing",
              FeeType: "ServiceCAccountFeeMonthly",
              NegotiableIndicator: false,
              FeeAmount: "8.50",
              ApplicationFrequency: "Monthly",
              CalculationFrequency: "Monthly",
              Notes: ["For a main account. There is no charge for the first expenses account."],
            },
            ...paymentFees,
          ],
        },
      ],
    },
  },
};

/**
 * An account in a foreign currency, in addition to a current account. The standard has no model for
 * it.
 */
export const currencyAccount: BankProduct = {
  credit: [],
  debit: null,
  details: {
    ProductId: "ALDG-CUR-CURRENCY",
    ProductName: "Currency Account",
    ProductType: "Other",
    OtherProductType: {
      Name: "Currency Account",
      Description: "An account in euros or US dollars, without interest or overdraft",
      ProductDetails: {
        MonthlyMaximumCharge: "0.00",
        Notes: ["A SWIFT payment costs £10, or £20 if it is urgent. A SEPA payment is free."],
      },
    },
  },
};

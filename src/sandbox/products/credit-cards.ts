import type { BankProduct } from "./bank-product.ts";
import { effectiveYearly } from "./rates.ts";

const purchases = "28.90";

/** The personal credit card. A balance that is paid in full costs no interest. */
export const creditCard: BankProduct = {
  credit: [],
  debit: purchases,
  details: {
    ProductId: "ALDG-CARD-PERSONAL",
    ProductName: "Aldgate Credit Card",
    ProductType: "Other",
    OtherProductType: {
      Name: "Aldgate Credit Card",
      Description: "A credit card with no annual fee",
      LoanInterest: {
        Notes: ["No interest on purchases if the balance is paid in full by direct debit."],
        LoanInterestTierBandSet: [
          {
            Identification: "Purchases",
            TierBandMethod: "INWH",
            CalculationMethod: "ITCO",
            LoanInterestTierBand: [
              {
                Identification: "Purchases",
                TierValueMinimum: "0.00",
                TierValueMinTerm: 1,
                MinTermPeriod: "PMTH",
                FixedVariableInterestRateType: "INVA",
                RepAPR: effectiveYearly(purchases),
                LoanProviderInterestRateType: "INGR",
                LoanProviderInterestRate: purchases,
                Notes: ["Charged every month on the balance owed at the start of the month."],
              },
            ],
          },
        ],
      },
      Repayment: {
        RepaymentFrequency: "SMMO",
        Notes: ["At least 2.5% of the balance or £5 every month, whichever is greater."],
      },
      OtherFeesCharges: [
        {
          TariffName: "Aldgate Credit Card tariff",
          FeeChargeDetail: [
            {
              FeeCategory: "FCOT",
              FeeType: "FTOT",
              FeeAmount: "12.00",
              ApplicationFrequency: "FEPO",
              OtherFeeType: {
                FeeCategory: "FCOT",
                Name: "Late payment",
                Description: "If you pay less than the minimum payment by its due date",
              },
            },
          ],
        },
      ],
    },
  },
};

/** The business credit card, for which the standard has a type but no model. */
export const businessCreditCard: BankProduct = {
  credit: [],
  debit: purchases,
  details: {
    ProductId: "ALDG-CARD-BUSINESS",
    ProductName: "Business Credit Card",
    ProductType: "CommercialCreditCard",
  },
};

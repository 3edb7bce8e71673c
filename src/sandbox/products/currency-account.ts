import type { BankProduct } from "./bank-product.ts";

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

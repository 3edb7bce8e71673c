import { ibanFrom } from "#src/sandbox/bank/account-numbers.ts";
import type { Order } from "./payments.ts";

/** Payees in other countries, by their currency. */
export const payees = {
  EUR: {
    payee: {
      SchemeName: "UK.OBIE.IBAN",
      Identification: ibanFrom("DE", "009900990099000001"),
      Name: "Kaffeerösterei Lindenau",
    },
  },
  USD: {
    payee: { SchemeName: "UK.OBIE.BBAN", Identification: "000099000001", Name: "Bright Harbor" },
    CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" },
  },
};

/** A payment in euros at a rate that the bank fixes. */
export const firmEuros = {
  kind: "international-payment",
  payee: payees.EUR.payee,
  initiation: {
    CurrencyOfTransfer: "EUR",
    InstructedAmount: { Amount: "250.00", Currency: "EUR" },
    ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" },
  },
} satisfies Order;

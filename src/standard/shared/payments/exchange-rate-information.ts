import Type from "typebox";
import { currencyCode } from "#src/standard/shared/amount.ts";
import { closed, dateTime, oneOf, text } from "#src/standard/shared/schema.ts";

const rateType = oneOf(["Actual", "Agreed", "Indicative"]);

/**
 * At which rate a TPP asks for a payment. Source: PISP resource pages, International Payment
 * Consents, OBExchangeRate2.
 */
export const exchangeRateRequest = closed({
  UnitCurrency: currencyCode,
  ExchangeRate: Type.Optional(Type.Number()),
  RateType: rateType,
  ContractIdentification: Type.Optional(text(256)),
});

/** The bank's rate: one `UnitCurrency` buys `ExchangeRate` of the other currency. */
export const exchangeRateResponse = closed({
  UnitCurrency: currencyCode,
  ExchangeRate: Type.Number(),
  RateType: rateType,
  ContractIdentification: Type.Optional(text(256)),
  ExpirationDateTime: Type.Optional(dateTime()),
});

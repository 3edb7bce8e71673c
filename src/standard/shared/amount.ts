import Type from "typebox";
import { closed, open } from "./schema.ts";

/** Up to 13 digits and, after a point, up to 5 more; no sign. Source: OBActiveCurrencyAndAmount. */
export const amountText = Type.String({ pattern: String.raw`^\d{1,13}$|^\d{1,13}\.\d{1,5}$` });

/** Three capitals; that they are a currency is checked against `currencyCodes`. */
export const currencyCode = Type.String({ pattern: "^[A-Z]{3,3}$" });

/** Amount and currency with nothing else, as v4 has it. */
export const closedAmount = closed({ Amount: amountText, Currency: currencyCode });

/** Amount and currency that may carry more, as v3 has it. */
export const openAmount = open({ Amount: amountText, Currency: currencyCode });

/** An amount as stored facts have it; minor units are text, which JSON keeps exactly. */
export type AmountFacts = { amountMinor: string; currency: string };

import { accountDescriptions } from "./accounts.ts";
import { commonDescriptions } from "./common.ts";
import { paymentDescriptions } from "./payments.ts";
import { productDescriptions } from "./products.ts";
import type { PropertyWords } from "./property-words.ts";

/** A sentence about each property of the standard's bodies. */
export const standardDescriptions: PropertyWords = {
  ...commonDescriptions,
  ...paymentDescriptions,
  ...accountDescriptions,
  ...productDescriptions,
};

import { accountDescriptions } from "./accounts.ts";
import { commonDescriptions } from "./common.ts";
import { standardExamples } from "./examples.ts";
import { paymentDescriptions } from "./payments.ts";
import { productDescriptions } from "./products.ts";

/** What is said about the properties of the standard's bodies. */
export const standardWords = {
  descriptions: {
    ...commonDescriptions,
    ...paymentDescriptions,
    ...accountDescriptions,
    ...productDescriptions,
  },
  examples: standardExamples,
};

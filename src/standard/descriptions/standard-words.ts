import { refusalCodes } from "#src/standard/error-codes.ts";
import { accountValues } from "./account-values.ts";
import { accountDescriptions } from "./accounts.ts";
import { commonDescriptions } from "./common.ts";
import { standardExamples } from "./examples.ts";
import { codeValues, paymentValues } from "./payment-values.ts";
import { paymentDescriptions } from "./payments.ts";
import { productValues } from "./product-values.ts";
import { productDescriptions } from "./products.ts";
import { statementValues } from "./statement-values.ts";
import { statusValues } from "./status-values.ts";

/** What is said about the properties of the standard's bodies. */
export const standardWords = {
  descriptions: {
    ...commonDescriptions,
    ...paymentDescriptions,
    ...accountDescriptions,
    ...productDescriptions,
  },
  examples: standardExamples,
  values: {
    ...statusValues,
    ...paymentValues,
    ...codeValues,
    ...accountValues,
    ...statementValues,
    ...productValues,
    ErrorCode: Object.fromEntries(
      Object.values(refusalCodes).map(({ name, text }) => [name, text]),
    ),
  },
};

import Type from "typebox";
import { amountText } from "#src/standard/shared/amount.ts";
import { closedJudgement, judgement, type Override } from "#src/standard/shared/judgement.ts";
import { paymentContextCode, paymentContexts } from "#src/standard/shared/payments/risk.ts";
import { oneOf, text } from "#src/standard/shared/schema.ts";
import { documentTypes } from "./remittance-information.ts";

/**
 * Everything in which the judgement of requests differs from the published shape, date-times aside:
 * those may be any ISO 8601 form, which the validator's `date-time` sees to.
 */
export const overrides: readonly Override[] = [
  {
    at: "Risk.PaymentContextCode",
    schema: oneOf(paymentContexts),
    strictness: "stricter",
    reason: "D-401-33: the six deprecated contexts are refused in new consents",
  },
  {
    at: "Data.Initiation.NumberOfTransactions",
    schema: Type.String({ pattern: "^[0-9]{1,15}$" }),
    strictness: "stricter",
    reason: "P-193: the published pattern is not anchored, so that `abc1` would fit it",
  },
  {
    at: "Structured.ReferredDocumentAmount",
    schema: Type.Union([amountText, Type.Integer({ minimum: 0 })]),
    strictness: "laxer",
    reason: "D-401-30: v4.0 had an integer here, and its clients may still send one",
  },
  {
    at: "ReferredDocumentInformation.Code",
    schema: oneOf([...documentTypes, "AROI", "BOLD", "CMCN", "SOAC", "TSUT", "USAR", "VCHR"]),
    strictness: "laxer",
    reason: "D-401-71: the code set has 23 kinds of document, the published file 16",
  },
];

/** Checks requests against the published schemas, with the overrides applied. */
export const judgedBy = judgement(overrides);

/** Checks the requests of variable recurring payments, whose published objects are open. */
export const judgedClosed = closedJudgement(overrides);

/**
 * Values that consents of v3.1 may have, but new consents of v4.0 may not. Payments under the v3.1
 * consents repeat these values, and so do the responses of v4.0. Source: V-170, V-171.
 */
export const inheritedFromV3: readonly Override[] = [
  {
    at: "Risk.PaymentContextCode",
    schema: paymentContextCode,
    strictness: "inherited",
    reason: "V-171: a consent of v3.1 may have a context that is deprecated",
  },
  {
    at: "Risk.PaymentPurposeCode",
    schema: text(4),
    strictness: "inherited",
    reason: "V-170: in v3.1, a purpose is any text of three or four characters",
  },
];

/** Checks payments under consents of v3.1. */
export const judgedClosedAsInV3 = closedJudgement([...inheritedFromV3, ...overrides]);

import Type from "typebox";
import type { Mandate } from "#src/standard/shared/mandate.ts";
import { categoryPurposeCodes } from "#src/standard/shared/purpose-codes.ts";
import { dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { frequency } from "./frequency.ts";

/** Classification of each mandate. Source: OBExternalMandateClassification1Code, E-051. */
export const mandateClassifications = {
  Fixed: "FIXE",
  UsageBased: "USGB",
  Variable: "VARI",
} as const satisfies Record<NonNullable<Mandate["classification"]>, string>;

/** When and how often a standing order pays. Source: OBMandateRelatedInformation1, D-401-45. */
export const mandateRelatedInformation = open(
  {
    MandateIdentification: Type.Optional(text(35)),
    Classification: Type.Optional(oneOf(Object.values(mandateClassifications))),
    CategoryPurposeCode: Type.Optional(oneOf(categoryPurposeCodes)),
    FirstPaymentDateTime: Type.Optional(dateTime()),
    RecurringPaymentDateTime: Type.Optional(dateTime()),
    FinalPaymentDateTime: Type.Optional(dateTime()),
    Frequency: frequency,
    Reason: Type.Optional(text(256)),
  },
  { title: "OBMandateRelatedInformation1" },
);

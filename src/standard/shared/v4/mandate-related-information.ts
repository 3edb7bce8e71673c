import Type, { type Static } from "typebox";
import { categoryPurposeCodes } from "#src/standard/shared/purpose-codes.ts";
import { dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { frequency } from "./frequency.ts";

/** When and how often a standing order pays. Source: OBMandateRelatedInformation1, D-401-45. */
export const mandateRelatedInformation = open(
  {
    MandateIdentification: Type.Optional(text(35)),
    Classification: Type.Optional(oneOf(["FIXE", "USGB", "VARI"])),
    CategoryPurposeCode: Type.Optional(oneOf(categoryPurposeCodes)),
    FirstPaymentDateTime: Type.Optional(dateTime()),
    RecurringPaymentDateTime: Type.Optional(dateTime()),
    FinalPaymentDateTime: Type.Optional(dateTime()),
    Frequency: frequency,
    Reason: Type.Optional(text(256)),
  },
  { title: "OBMandateRelatedInformation1" },
);

/** The schedule of a standing order as a TPP sends it. */
export type MandateRelatedInformation = Static<typeof mandateRelatedInformation>;

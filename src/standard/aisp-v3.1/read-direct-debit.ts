import Type, { type Static } from "typebox";
import { readDirectDebitOf } from "#src/standard/shared/accounts/direct-debit.ts";
import { namespaced, text } from "#src/standard/shared/schema.ts";

/** How often a direct debit is collected. Source: OBReadDirectDebit2. */
const directDebitFrequencies = [
  "UK.OBIE.Annual",
  "UK.OBIE.Daily",
  "UK.OBIE.Fortnightly",
  "UK.OBIE.HalfYearly",
  "UK.OBIE.Monthly",
  "UK.OBIE.NotKnown",
  "UK.OBIE.Quarterly",
  "UK.OBIE.Weekly",
] as const;

/** Body of `GET /accounts/{AccountId}/direct-debits`. Source: OBReadDirectDebit2, E-043. */
export const readDirectDebit = readDirectDebitOf(["Active", "Inactive"], {
  MandateIdentification: text(35),
  Frequency: Type.Optional(namespaced(directDebitFrequencies)),
});

/** One direct debit in that body. */
export type DirectDebitItem = NonNullable<
  Static<typeof readDirectDebit>["Data"]["DirectDebit"]
>[number];

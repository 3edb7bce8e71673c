import Type, { type Static } from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId } from "./parties.ts";

/** How often a direct debit is collected. Source: OBExternalFrequency1Code. */
export const directDebitFrequencies = [
  "UK.OBIE.Annual",
  "UK.OBIE.Daily",
  "UK.OBIE.Fortnightly",
  "UK.OBIE.HalfYearly",
  "UK.OBIE.Monthly",
  "UK.OBIE.NotKnown",
  "UK.OBIE.Quarterly",
  "UK.OBIE.Weekly",
] as const;

const directDebit = open(
  {
    AccountId: accountId,
    DirectDebitId: Type.Optional(text(40)),
    MandateIdentification: text(35),
    DirectDebitStatusCode: Type.Optional(oneOf(["Active", "Inactive"])),
    Name: text(70),
    PreviousPaymentDateTime: Type.Optional(dateTime()),
    Frequency: Type.Optional(namespaced(directDebitFrequencies)),
    PreviousPaymentAmount: Type.Optional(openAmount),
  },
  { title: "OBDirectDebit2" },
);

/** Body of `GET /accounts/{AccountId}/direct-debits`. Source: OBReadDirectDebit2, digest 3.6. */
export const readDirectDebit = closed(
  { Data: open({ DirectDebit: Type.Optional(Type.Array(directDebit)) }), ...envelope },
  { title: "OBReadDirectDebit2" },
);

/** One direct debit of it. */
export type DirectDebitItem = Static<typeof directDebit>;

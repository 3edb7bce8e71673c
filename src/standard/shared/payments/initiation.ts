import Type, { type TObject, type TProperties } from "typebox";
import { present } from "#src/lib/assert.ts";
import { closed, namespaced, open } from "#src/standard/shared/schema.ts";

/** By which scheme a payment travels. Source: OBInternalLocalInstrument1Code. */
export const localInstrument = namespaced([
  "UK.OBIE.BACS",
  "UK.OBIE.BalanceTransfer",
  "UK.OBIE.CHAPS",
  "UK.OBIE.Euro1",
  "UK.OBIE.FPS",
  "UK.OBIE.Link",
  "UK.OBIE.MoneyTransfer",
  "UK.OBIE.Paym",
  "UK.OBIE.SEPACreditTransfer",
  "UK.OBIE.SEPAInstantCreditTransfer",
  "UK.OBIE.SWIFT",
  "UK.OBIE.Target2",
]);

/** Anything that a bank and its TPPs agree on. */
export const supplementaryData = open(
  {},
  { additionalProperties: true, title: "OBSupplementaryData1" },
);

/**
 * A file: the standard publishes no schema for its contents. Source: PISP OpenAPI file,
 * /file-payment-consents/{ConsentId}/file.
 */
export const file = Type.Object({}, { title: "PaymentFile", additionalProperties: true });

/**
 * Makes the function that makes the schema of an initiation from the names of its members, of which
 * `*` marks a mandatory one. `own` has the schemas that differ from those of other kinds.
 */
export const initiationsOf =
  (fields: TProperties) =>
  (members: string, own: TProperties = {}): TObject => {
    const properties = members.split(" ").map((word) => {
      const name = word.replace("*", "");
      const schema = present(own[name] ?? fields[name], name);
      return [name, word.endsWith("*") ? schema : Type.Optional(schema)] as const;
    });
    return closed(Object.fromEntries(properties));
  };

import Type from "typebox";
import { amountText } from "#src/standard/shared/amount.ts";
import { dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";

const creditorReference = open({
  Code: Type.Optional(
    oneOf(["DISP", "FXDR", "PUOR", "RPIN", "RADM", "SCOR"], { minLength: 1, maxLength: 4 }),
  ),
  Issuer: Type.Optional(text(35)),
  Reference: Type.Optional(text(35)),
});

type Differences = {
  documentTypes: readonly string[];
  issuerLength: number;
  /** The end of its schemas' names, if other schemas of the same document have the plain names. */
  variant?: string;
};

const referredDocument = ({ documentTypes, issuerLength, variant = "" }: Differences) =>
  open(
    {
      Code: Type.Optional(oneOf(documentTypes, { minLength: 1, maxLength: 4 })),
      Issuer: Type.Optional(text(issuerLength)),
      Number: Type.Optional(text(35)),
      RelatedDate: Type.Optional(dateTime()),
      LineDetails: Type.Optional(Type.Array(text(2048))),
    },
    { title: `OBReferredDocumentInformation${variant}` },
  );

/**
 * The purpose of a payment, for the creditor. The APIs differ in the kinds of document and in the
 * length of a document's issuer. Source: OBRemittanceInformation2, E-048, E-053.
 */
export const remittanceInformationSchema = (api: Differences) =>
  open(
    {
      Structured: Type.Optional(
        Type.Array(
          open(
            {
              ReferredDocumentInformation: Type.Optional(Type.Array(referredDocument(api))),
              ReferredDocumentAmount: Type.Optional(amountText),
              CreditorReferenceInformation: Type.Optional(creditorReference),
              Invoicer: Type.Optional(text(256)),
              Invoicee: Type.Optional(text(256)),
              TaxRemittance: Type.Optional(text(140)),
              AdditionalRemittanceInformation: Type.Optional(
                Type.Array(text(140), { maxItems: 3 }),
              ),
            },
            { title: `OBRemittanceInformationStructured${api.variant ?? ""}` },
          ),
        ),
      ),
      Unstructured: Type.Optional(Type.Array(text(140))),
    },
    { title: `OBRemittanceInformation2${api.variant ?? ""}` },
  );

/**
 * Where an initiation has the reference that the creditor sees: the structured reference, otherwise
 * the first line of free text.
 */
export const references: readonly string[] = [
  "RemittanceInformation.Structured[].CreditorReferenceInformation.Reference",
  "RemittanceInformation.Unstructured[]",
];

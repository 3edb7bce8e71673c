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
 * The reference that the creditor sees: the structured reference, otherwise v3's member for it,
 * otherwise the first line of free text; null if there is none. The initiation may have any
 * structure.
 */
export function remittanceReference(initiation: unknown): string | null {
  const { RemittanceInformation: given } = (initiation ?? {}) as {
    RemittanceInformation?: {
      Structured?: { CreditorReferenceInformation?: { Reference?: unknown } }[];
      Unstructured?: unknown[];
      Reference?: unknown;
    };
  };
  const structured = Array.isArray(given?.Structured) ? given.Structured : [];
  const lines = Array.isArray(given?.Unstructured) ? given.Unstructured : [];
  const found = [
    ...structured.map((item) => item?.CreditorReferenceInformation?.Reference),
    given?.Reference,
    lines[0],
  ].find((text) => typeof text === "string");
  return typeof found === "string" ? found : null;
}

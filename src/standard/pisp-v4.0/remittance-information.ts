import Type from "typebox";
import { amountText } from "#src/standard/shared/amount.ts";
import { dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";

/** Kinds of document that the published file knows. Source: ISO 20022 ExternalDocumentType1Code. */
export const documentTypes = [
  ...["CINV", "CNFA", "CONT", "CREN", "DEBN", "DISP", "DNFA", "HIRI"],
  ...["INVS", "MSIN", "PROF", "PUOR", "QUOT", "SBIN", "SPRR", "TISH"],
];

const referredDocument = open(
  {
    Code: Type.Optional(oneOf(documentTypes, { minLength: 1, maxLength: 4 })),
    Issuer: Type.Optional(text(35)),
    Number: Type.Optional(text(35)),
    RelatedDate: Type.Optional(dateTime()),
    LineDetails: Type.Optional(Type.Array(text(2048))),
  },
  { title: "OBReferredDocumentInformation" },
);

const creditorReference = open({
  Code: Type.Optional(
    oneOf(["DISP", "FXDR", "PUOR", "RPIN", "RADM", "SCOR"], { minLength: 1, maxLength: 4 }),
  ),
  Issuer: Type.Optional(text(35)),
  Reference: Type.Optional(text(35)),
});

const structured = open(
  {
    ReferredDocumentInformation: Type.Optional(Type.Array(referredDocument)),
    ReferredDocumentAmount: Type.Optional(amountText),
    CreditorReferenceInformation: Type.Optional(creditorReference),
    Invoicer: Type.Optional(text(256)),
    Invoicee: Type.Optional(text(256)),
    TaxRemittance: Type.Optional(text(140)),
    AdditionalRemittanceInformation: Type.Optional(Type.Array(text(140), { maxItems: 3 })),
  },
  { title: "OBRemittanceInformationStructured" },
);

/** What the payment is for, for the creditor's eyes. Source: digest 2.14. */
export const remittanceInformation = open(
  {
    Structured: Type.Optional(Type.Array(structured)),
    Unstructured: Type.Optional(Type.Array(text(140))),
  },
  { title: "OBRemittanceInformation2" },
);

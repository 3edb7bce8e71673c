import { remittanceInformationSchema } from "#src/standard/shared/v4/remittance-information.ts";

/**
 * Kinds of document that the published file knows. Source: ISO 20022, external code sets:
 * ExternalDocumentType1Code.
 */
export const documentTypes = [
  ...["CINV", "CNFA", "CONT", "CREN", "DEBN", "DISP", "DNFA", "HIRI"],
  ...["INVS", "MSIN", "PROF", "PUOR", "QUOT", "SBIN", "SPRR", "TISH"],
];

/** The purpose of the payment, for the creditor. Source: OBRemittanceInformation2. */
export const remittanceInformation = remittanceInformationSchema({
  documentTypes,
  issuerLength: 35,
});

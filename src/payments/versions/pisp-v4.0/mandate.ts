import { parseAmount } from "#src/lib/money.ts";
import { below } from "#src/payments/formats/member-paths.ts";
import { textAt, textsAt, valuesAt } from "#src/payments/request/read-request.ts";
import type {
  Mandate,
  ReferredDocument,
  Remittance,
  StructuredRemittance,
} from "#src/standard/shared/mandate.ts";
import { mandateClassifications } from "#src/standard/shared/v4/mandate-related-information.ts";

// Account information shows what a TPP said about a standing order. No check or payment uses it.

const inMandate = {
  identification: "MandateRelatedInformation.MandateIdentification",
  classification: "MandateRelatedInformation.Classification",
  categoryPurpose: "MandateRelatedInformation.CategoryPurposeCode",
  reason: "MandateRelatedInformation.Reason",
};

const unstructured = "RemittanceInformation.Unstructured[]";
const structured = "RemittanceInformation.Structured[]";

/** The members of an item of `structured`. */
const inStructured = {
  documents: "ReferredDocumentInformation[]",
  amount: "ReferredDocumentAmount",
  referenceType: "CreditorReferenceInformation.Code",
  referenceIssuer: "CreditorReferenceInformation.Issuer",
  reference: "CreditorReferenceInformation.Reference",
  invoicer: "Invoicer",
  invoicee: "Invoicee",
  tax: "TaxRemittance",
  additional: "AdditionalRemittanceInformation[]",
};

/** The members of an item of its documents. */
const inDocument = {
  type: "Code",
  issuer: "Issuer",
  number: "Number",
  relatedOn: "RelatedDate",
  lines: "LineDetails[]",
};

/** Every path in an initiation that is read here. */
export const saidPaths: readonly string[] = [
  ...Object.values(inMandate),
  unstructured,
  ...below(structured, Object.values(inStructured)),
  ...below(`${structured}.${inStructured.documents}`, Object.values(inDocument)),
];

/**
 * Reads what an initiation says about its mandate; null if it says nothing. Never throws, so that a
 * body with schema faults can be read too. Source: E-051.
 */
export function readMandate(initiation: unknown): Mandate | null {
  return orNull<Mandate>({
    identification: textAt(initiation, inMandate.identification),
    classification: classifications.get(textAt(initiation, inMandate.classification) ?? ""),
    categoryPurpose: textAt(initiation, inMandate.categoryPurpose),
    reason: textAt(initiation, inMandate.reason),
  });
}

const classifications = new Map(
  Object.entries(mandateClassifications).map(([name, code]) => [
    code as string,
    name as keyof typeof mandateClassifications, // safe: a member of the same object
  ]),
);

/**
 * Reads what an initiation says its payments are for, in the same way. Amounts of documents have
 * the currency of the payments. A text that is the order's reference is left out. Source: E-053.
 */
export function readRemittance(
  initiation: unknown,
  { reference, currency }: { reference: string | null; currency: string | null },
): Remittance | null {
  const items = valuesAt(initiation, structured).flatMap(
    (item) => orNull(structuredIn(item, currency)) ?? [],
  );
  const texts = textsAt(initiation, unstructured).filter((text) => text !== reference);
  return orNull<Remittance>({ structured: unlessEmpty(items), unstructured: unlessEmpty(texts) });
}

function structuredIn(item: unknown, currency: string | null): Partly<StructuredRemittance> {
  const documents = valuesAt(item, inStructured.documents).flatMap(
    (document) => orNull(documentIn(document)) ?? [],
  );
  const amount = textAt(item, inStructured.amount);
  const minor = amount && currency ? parseAmount(amount, currency) : null;
  return {
    documents: unlessEmpty(documents),
    documentAmount: currency && minor !== null ? { amountMinor: `${minor}`, currency } : undefined,
    creditorReference:
      orNull<NonNullable<StructuredRemittance["creditorReference"]>>({
        type: textAt(item, inStructured.referenceType),
        issuer: textAt(item, inStructured.referenceIssuer),
        reference: textAt(item, inStructured.reference),
      }) ?? undefined,
    invoicer: textAt(item, inStructured.invoicer),
    invoicee: textAt(item, inStructured.invoicee),
    tax: textAt(item, inStructured.tax),
    additional: unlessEmpty(textsAt(item, inStructured.additional)),
  };
}

const documentIn = (document: unknown): Partly<ReferredDocument> => ({
  type: textAt(document, inDocument.type),
  issuer: textAt(document, inDocument.issuer),
  number: textAt(document, inDocument.number),
  relatedOn: textAt(document, inDocument.relatedOn)?.slice(0, 10),
  lines: unlessEmpty(textsAt(document, inDocument.lines)),
});

const unlessEmpty = <Item>(items: Item[]): Item[] | undefined =>
  items.length > 0 ? items : undefined;

type Partly<Facts> = { [Name in keyof Facts]: Facts[Name] | undefined };

/** The members that have a value; null if none has. */
function orNull<Facts extends object>(facts: Partly<Facts>): Facts | null {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  // safe: all members of these facts are optional
  return known.length > 0 ? (Object.fromEntries(known) as Facts) : null;
}

import { parseAmount } from "#src/lib/money.ts";
import { textAt, valueAt } from "#src/payments/request/json-path.ts";
import type {
  Mandate,
  ReferredDocument,
  Remittance,
  StructuredRemittance,
} from "#src/standard/shared/mandate.ts";
import { mandateClassifications } from "#src/standard/shared/v4/mandate-related-information.ts";

// Account information shows what a TPP said about a standing order. No check or payment uses it.

/**
 * Reads what an initiation says about its mandate; null if it says nothing. Never throws, so that a
 * body with schema faults can be read too. Source: E-051.
 */
export function readMandate(initiation: unknown): Mandate | null {
  const given = valueAt(initiation, "MandateRelatedInformation");
  return orNull<Mandate>({
    identification: textAt(given, "MandateIdentification"),
    classification: classifications.get(textAt(given, "Classification") ?? ""),
    categoryPurpose: textAt(given, "CategoryPurposeCode"),
    reason: textAt(given, "Reason"),
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
  const given = valueAt(initiation, "RemittanceInformation");
  const structured = listAt(given, "Structured").flatMap(
    (item) => orNull(structuredIn(item, currency)) ?? [],
  );
  const unstructured = textsAt(given, "Unstructured")?.filter((text) => text !== reference);
  return orNull<Remittance>({
    structured: structured.length > 0 ? structured : undefined,
    unstructured: unstructured && unstructured.length > 0 ? unstructured : undefined,
  });
}

function structuredIn(item: unknown, currency: string | null): Partly<StructuredRemittance> {
  const documents = listAt(item, "ReferredDocumentInformation").flatMap(
    (document) => orNull(documentIn(document)) ?? [],
  );
  const amount = textAt(item, "ReferredDocumentAmount");
  const minor = amount && currency ? parseAmount(amount, currency) : null;
  const creditor = "CreditorReferenceInformation";
  return {
    documents: documents.length > 0 ? documents : undefined,
    documentAmount: currency && minor !== null ? { amountMinor: `${minor}`, currency } : undefined,
    creditorReference:
      orNull<NonNullable<StructuredRemittance["creditorReference"]>>({
        type: textAt(item, `${creditor}.Code`),
        issuer: textAt(item, `${creditor}.Issuer`),
        reference: textAt(item, `${creditor}.Reference`),
      }) ?? undefined,
    invoicer: textAt(item, "Invoicer"),
    invoicee: textAt(item, "Invoicee"),
    tax: textAt(item, "TaxRemittance"),
    additional: textsAt(item, "AdditionalRemittanceInformation"),
  };
}

const documentIn = (document: unknown): Partly<ReferredDocument> => ({
  type: textAt(document, "Code"),
  issuer: textAt(document, "Issuer"),
  number: textAt(document, "Number"),
  relatedOn: textAt(document, "RelatedDate")?.slice(0, 10),
  lines: textsAt(document, "LineDetails"),
});

type Partly<Facts> = { [Name in keyof Facts]: Facts[Name] | undefined };

/** The members that have a value; null if none has. */
function orNull<Facts extends object>(facts: Partly<Facts>): Facts | null {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  // safe: all members of these facts are optional
  return known.length > 0 ? (Object.fromEntries(known) as Facts) : null;
}

function listAt(root: unknown, path: string): readonly unknown[] {
  const value = valueAt(root, path);
  return Array.isArray(value) ? value : [];
}

function textsAt(root: unknown, path: string): string[] | undefined {
  const texts = listAt(root, path).filter((one) => typeof one === "string");
  return texts.length > 0 ? texts : undefined;
}

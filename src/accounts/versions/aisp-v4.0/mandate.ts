import { formatAmount } from "#src/lib/money.ts";
import type {
  CollectionMandate,
  Mandate,
  Remittance,
  StructuredRemittance,
} from "#src/standard/shared/mandate.ts";
import { mandateClassifications } from "#src/standard/shared/v4/mandate-related-information.ts";

// Facts of mandates and regular payments that only v4.0 shows.

/** Members of a MandateRelatedInformation. Source: E-051. */
export const renderMandate = (mandate: Mandate | null) => ({
  ...(mandate?.identification ? { MandateIdentification: mandate.identification } : {}),
  ...(mandate?.classification
    ? { Classification: mandateClassifications[mandate.classification] }
    : {}),
  ...(mandate?.categoryPurpose ? { CategoryPurposeCode: mandate.categoryPurpose } : {}),
  ...(mandate?.reason ? { Reason: mandate.reason } : {}),
});

/** Members of a direct debit's MandateRelatedInformation. Source: E-049, E-051. */
export function renderCollections<Type>(mandate: CollectionMandate | null, type: Type) {
  const { firstOn, recurringOn, finalOn, when } = mandate ?? {};
  return {
    ...(firstOn ? { FirstPaymentDateTime: dayOf(firstOn) } : {}),
    ...(recurringOn ? { RecurringPaymentDateTime: dayOf(recurringOn) } : {}),
    ...(finalOn ? { FinalPaymentDateTime: dayOf(finalOn) } : {}),
    Frequency: {
      Type: type,
      ...(when?.pointInTime ? { PointInTime: when.pointInTime } : {}),
      ...(when?.countPerPeriod ? { CountPerPeriod: when.countPerPeriod } : {}),
    },
  };
}

const dayOf = (date: string): string => `${date}T00:00:00Z`;

/** A RemittanceInformation. Source: E-048, E-053. */
export function renderRemittance(
  reference: string | null,
  remittance: Remittance | null,
): object | undefined {
  const { structured = [], unstructured = [] } = remittance ?? {};
  const items = withReference(structured, reference);
  // the reference's member is shorter than some references
  const isWhole = (reference ?? "").length <= longestReference;
  const texts = isWhole ? unstructured : [reference?.slice(0, 140), ...unstructured];
  if (items.length === 0 && texts.length === 0) return undefined;
  return {
    ...(items.length > 0 ? { Structured: items.map(renderStructured) } : {}),
    ...(texts.length > 0 ? { Unstructured: texts } : {}),
  };
}

const longestReference = 35;

/** Adds the reference to the first item, unless an item has a creditor's reference. */
function withReference(
  structured: readonly StructuredRemittance[],
  reference: string | null,
): readonly StructuredRemittance[] {
  if (!reference || structured.some((one) => one.creditorReference?.reference)) return structured;
  const [first = {}, ...others] = structured;
  const shown = { ...first.creditorReference, reference: reference.slice(0, longestReference) };
  return [{ ...first, creditorReference: shown }, ...others];
}

// JSON leaves out what is undefined.
const renderStructured = (item: StructuredRemittance) => ({
  ReferredDocumentInformation: item.documents?.map((document) => ({
    Code: document.type,
    Issuer: document.issuer,
    Number: document.number,
    RelatedDate: document.relatedOn && dayOf(document.relatedOn),
    LineDetails: document.lines,
  })),
  ReferredDocumentAmount:
    item.documentAmount &&
    formatAmount(BigInt(item.documentAmount.amountMinor), item.documentAmount.currency),
  CreditorReferenceInformation: item.creditorReference && {
    Code: item.creditorReference.type,
    Issuer: item.creditorReference.issuer,
    Reference: item.creditorReference.reference,
  },
  Invoicer: item.invoicer,
  Invoicee: item.invoicee,
  TaxRemittance: item.tax,
  AdditionalRemittanceInformation: item.additional,
});

import Type from "typebox";
import { closed, open, text } from "#src/standard/shared/schema.ts";

const members = { Unstructured: Type.Optional(text(140)), Reference: Type.Optional(text(35)) };

/** The purpose of a variable recurring payment: one text, and the reference beside it. */
export const remittanceInformation = open(members);

/** The same of every other payment. */
export const closedRemittanceInformation = closed(members);

/**
 * The reference that the creditor sees: the reference, otherwise the unstructured text; null if
 * there is neither. Standing orders have the reference alone. The initiation may have any
 * structure.
 */
export function remittanceReferenceV3(initiation: unknown): string | null {
  const { RemittanceInformation: given, Reference } = (initiation ?? {}) as {
    RemittanceInformation?: { Reference?: unknown; Unstructured?: unknown };
    Reference?: unknown;
  };
  const texts = [given?.Reference, given?.Unstructured, Reference];
  return texts.find((one): one is string => typeof one === "string") ?? null;
}

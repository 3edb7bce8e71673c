import Type from "typebox";
import { open, text } from "#src/standard/shared/schema.ts";

/** The purpose of a payment: one text, and the reference beside it. */
export const remittanceInformation = open({
  Unstructured: Type.Optional(text(140)),
  Reference: Type.Optional(text(35)),
});

/**
 * The reference that the creditor sees: the reference, otherwise the unstructured text; null if
 * there is neither. The initiation may have any structure.
 */
export function remittanceReferenceV3(initiation: unknown): string | null {
  const { RemittanceInformation: given } = (initiation ?? {}) as {
    RemittanceInformation?: { Reference?: unknown; Unstructured?: unknown };
  };
  const texts = [given?.Reference, given?.Unstructured];
  return texts.find((one): one is string => typeof one === "string") ?? null;
}

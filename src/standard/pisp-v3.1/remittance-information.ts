import Type from "typebox";
import { closed, open, text } from "#src/standard/shared/schema.ts";

const members = { Unstructured: Type.Optional(text(140)), Reference: Type.Optional(text(35)) };

/** The purpose of a variable recurring payment: one text, and the reference beside it. */
export const remittanceInformation = open(members);

/** The same of every other payment. */
export const closedRemittanceInformation = closed(members);

/** Where an initiation has the reference that the creditor sees. */
export const references: readonly string[] = [
  "RemittanceInformation.Reference",
  "RemittanceInformation.Unstructured",
];

/** The same of a standing order. */
export const standingOrderReferences: readonly string[] = ["Reference"];

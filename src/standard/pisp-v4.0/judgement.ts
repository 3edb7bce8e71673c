import Type, { type TSchema } from "typebox";
import { amountText } from "#src/standard/shared/amount.ts";
import { oneOf } from "#src/standard/shared/schema.ts";
import { documentTypes } from "./remittance-information.ts";
import { paymentContexts } from "./risk.ts";

/** A place where requests are checked against something other than the published schema. */
export type Override = {
  /** The end of the path of the members that it is about, array items left out. */
  at: string;
  schema: TSchema;
  /**
   * Stricter than the published schema, or more lenient: then the setting STRICT_OAS turns it off.
   */
  strictness: "stricter" | "laxer";
  reason: string;
};

/**
 * Everything in which the judgement of requests differs from the published shape, date-times aside:
 * those may be any ISO 8601 form, which the validator's `date-time` sees to.
 */
export const overrides: readonly Override[] = [
  {
    at: "Risk.PaymentContextCode",
    schema: oneOf(paymentContexts),
    strictness: "stricter",
    reason: "D-401-33: the six deprecated contexts are refused in new consents",
  },
  {
    at: "Data.Authorisation.AuthorisationType",
    schema: oneOf(["Any", "Single", "Multiple"]),
    strictness: "laxer",
    reason:
      "D-401-25: Multiple is allowed for every kind, but the published file has it only for some",
  },
  {
    at: "Data.Initiation.NumberOfTransactions",
    schema: Type.String({ pattern: "^[0-9]{1,15}$" }),
    strictness: "stricter",
    reason: "P-193: the published pattern is not anchored, so that `abc1` would fit it",
  },
  {
    at: "Structured.ReferredDocumentAmount",
    schema: Type.Union([amountText, Type.Integer({ minimum: 0 })]),
    strictness: "laxer",
    reason: "D-401-30: v4.0 had an integer here, and its clients may still send one",
  },
  {
    at: "ReferredDocumentInformation.Code",
    schema: oneOf([...documentTypes, "AROI", "BOLD", "CMCN", "SOAC", "TSUT", "USAR", "VCHR"]),
    strictness: "laxer",
    reason: "D-401-71: the code set has 23 kinds of document, the published file 16",
  },
];

/** The schema that requests are checked by: a published one with the overrides put in. */
export const judgedBy = <Schema extends TSchema>(
  schema: Schema,
  { strictOas }: { strictOas: boolean },
): Schema => {
  const active = overrides.filter(({ strictness }) => !strictOas || strictness === "stricter");
  // safe: the overrides change the allowed values, but no member's name or type
  return replaceMembers(schema as unknown as Node, [], active) as unknown as Schema;
};

type Node = { [keyword: string]: unknown; properties?: Record<string, Node>; items?: Node };

function replaceMembers(schema: Node, path: readonly string[], active: readonly Override[]): Node {
  const here = path.join(".");
  const override = active.find(({ at }) => here === at || here.endsWith(`.${at}`));
  if (override) return override.schema as Node;
  const copy = { ...schema };
  if (schema.items) copy.items = replaceMembers(schema.items, path, active);
  if (schema.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [
        name,
        replaceMembers(member, [...path, name], active),
      ]),
    );
  }
  return copy;
}

/**
 * The schema that requests are checked by where the published objects tolerate unknown members. The
 * bank refuses them: it could not honour what they ask for. Source: V-014, V-036, V-044, V-112,
 * D-401-03.
 */
export const judgedClosed: typeof judgedBy = (schema, options) =>
  // safe: closing changes no member's name or type
  closedThroughout(judgedBy(schema, options) as unknown as Node) as unknown as typeof schema;

function closedThroughout(schema: Node): Node {
  const copy = { ...schema };
  if (schema.items) copy.items = closedThroughout(schema.items);
  if (!schema.properties) return copy;
  const members = Object.entries(schema.properties);
  copy.properties = Object.fromEntries(
    members.map(([name, member]) => [name, closedThroughout(member)]),
  );
  copy.additionalProperties = false;
  return copy;
}

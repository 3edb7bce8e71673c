import type { TSchema } from "typebox";

/** A place where requests are checked against something other than the published schema. */
export type Override = {
  /** The end of the path of the members that the override changes, without array items. */
  at: string;
  schema: TSchema;
  /**
   * Stricter than the published schema, or more lenient. The setting STRICT_OAS turns off what is
   * `laxer`. What is `inherited` comes from bodies of an earlier version, whatever the setting.
   */
  strictness: "stricter" | "laxer" | "inherited";
  reason: string;
};

/** Derives from a published schema the one that requests are checked by. */
export type Judgement = <Schema extends TSchema>(
  schema: Schema,
  options: { strictOas: boolean },
) => Schema;

/** Checks requests against published schemas, with these overrides applied. */
export const judgement =
  (overrides: readonly Override[]): Judgement =>
  <Schema extends TSchema>(schema: Schema, { strictOas }: { strictOas: boolean }) => {
    const active = overrides.filter(({ strictness }) => !strictOas || strictness !== "laxer");
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
 * Checks requests in the same way, but refuses unknown members, which the published objects allow.
 * The bank could not do what such members ask for. Source: V-014, V-036, V-044, V-112, D-401-03.
 */
export const closedJudgement = (overrides: readonly Override[]): Judgement => {
  const judge = judgement(overrides);
  return <Schema extends TSchema>(schema: Schema, options: { strictOas: boolean }) =>
    // safe: closing changes no member's name or type
    closedThroughout(judge(schema, options) as unknown as Node) as unknown as Schema;
};

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

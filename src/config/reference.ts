import { textOf } from "#src/lib/plain-text.ts";
import { configSchema } from "./config.ts";

type Property = {
  description?: string;
  usedBy?: string;
  default?: unknown;
  type?: string;
  form?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: { const: unknown }[];
};

/** The reference page of the configuration, as Markdown; generated so that it cannot be wrong. */
export function renderReference(): string {
  const rows = Object.entries(configSchema.properties as Record<string, Property>).map(
    ([key, property]) =>
      `| \`${key}\` | ${valuesOf(property)} | ${defaultOf(property)} | ${property.description} | ${property.usedBy} |`,
  );
  return [
    "# Configuration",
    "",
    "Settings are environment variables, or members of the JSON file that `ALDGATE_CONFIG` names. If a",
    "setting is in both, the environment variable is used. Aldgate does not start if the file has an",
    "unknown name, or if a setting that no longer exists is set.",
    "`npm run configuration` writes this page.",
    "",
    "| Name | Values | Default | Meaning | Who sets it |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function valuesOf(property: Property): string {
  if (property.anyOf) return property.anyOf.map((one) => `\`${textOf(one.const)}\``).join(", ");
  if (property.type === "boolean") return "`true`, `false`";
  if (property.type === "integer") {
    const upper = property.maximum === undefined ? "up" : `to ${property.maximum}`;
    return `${property.minimum} ${upper}`;
  }
  return property.form ?? "text";
}

const defaultOf = ({ default: value }: Property): string =>
  value === undefined ? "" : `\`${textOf(value)}\``;

import { countOf, textOf } from "#src/lib/plain-text.ts";

/** The form of a setting: a pattern, and the same in words that follow "must be". */
type Form = { pattern: string; form: string };

const listOf = (entry: string): string => `^${entry}(, ?${entry})*$`;

/** Networks, separated by commas. */
export const networks: Form = {
  pattern: listOf("[0-9A-Fa-f:.]+/\\d+"),
  form: "one or more networks, separated by commas, such as `10.1.0.0/16,fd00::/8`",
};

/** Host names, separated by commas. */
export const hostNames: Form = {
  pattern: listOf("[A-Za-z0-9_.-]+"),
  form: "one or more host names without a port, separated by commas",
};

/** A secret that callers send as a bearer token. */
export const bearerToken = (shortest: number): Form => ({
  pattern: `^[A-Za-z0-9._~+/-]{${shortest},}=*$`,
  form: `a token of at least ${shortest} characters: letters, digits and \`._~+/-\``,
});

/** A URL of HTTP or HTTPS. */
export const webUrl: Form = {
  pattern: "^https?://[^\\s\"'<>]+$",
  form: "a URL that begins with `https://` or `http://`",
};

/** A URL of HTTPS. */
export const secureUrl: Form = {
  pattern: "^https://[^\\s\"'<>]+$",
  form: "a URL that begins with `https://`",
};

/** A URL of HTTPS, or of HTTP on this machine. */
export const secureOrLocalUrl: Form = {
  pattern: "^(https://|http://(localhost|127\\.0\\.0\\.1)[:/])[^\\s\"'<>]+$",
  form: "a URL that begins with `https://`, or with `http://localhost:` on this machine",
};

/** A URL of PostgreSQL. */
export const postgresUrl: Form = {
  pattern: "^postgres(ql)?://",
  form: "a URL such as `postgres://user:password@host:5432/name`",
};

/** Entries of one form, separated by commas. */
export const list = (entry: string, form: string): Form => ({ pattern: listOf(entry), form });

type Property = {
  type?: string;
  form?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  anyOf?: { const?: unknown }[];
};

const oneOf = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** What a setting must be, in words that follow "must be". */
export function formOf(property: Property): string {
  const { type, form, minimum = 0, maximum, minLength, maxLength, anyOf } = property;
  if (form !== undefined) return form;
  if (anyOf !== undefined) return oneOf.format(anyOf.map((one) => textOf(one.const)));
  if (type === "boolean") return "true or false";
  if (type === "integer") {
    const range =
      maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
    return `a whole number ${range}`;
  }
  if (minLength === undefined) return "a text";
  if (maxLength !== undefined) return `a text of ${minLength} to ${maxLength} characters`;
  return `a text of at least ${countOf(minLength, "character", "characters")}`;
}

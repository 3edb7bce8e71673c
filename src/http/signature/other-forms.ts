/** A form in which the JSON of a body may have been signed. */
export type OtherForm = {
  /** What was done to the body, for a sentence that begins with "The signature fits the body". */
  name: string;
  bytes: Buffer;
};

const mostBytes = 32_768;
const mostLevels = 64;

const isDeep = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)));

const spaced = (value: unknown, indent?: number): string => JSON.stringify(value, null, indent);

/**
 * The forms in which programs write the same JSON: what Python, PHP, Go and others write by
 * default, and other spacing. For large or deep bodies none, because indented brackets grow with
 * the square of their depth.
 */
export function otherForms(rawBody: Uint8Array): OtherForm[] {
  if (rawBody.byteLength > mostBytes) return [];
  let value: unknown;
  const text = Buffer.from(rawBody).toString();
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  if (isDeep(value, mostLevels)) return [];
  const compact = spaced(value);
  const forms: [name: string, text: string][] = [
    ["written without white space", compact],
    ["without white space, and with a line break at its end", `${compact}\n`],
    ["without the white space at its end", text.trimEnd()],
    ["with a line break at its end", `${text}\n`],
    ["with a space after commas and colons, as Python writes it", withSpaces(value)],
    ["the same, without other than ASCII characters", toAscii(withSpaces(value))],
    ["indented by two spaces", spaced(value, 2)],
    ["indented by four spaces", spaced(value, 4)],
    ["with escaped slashes, as PHP writes it", compact.replaceAll("/", "\\/")],
    ["with escaped <, > and &, as Go writes it", toGo(compact)],
    ["without other than ASCII characters", toAscii(compact)],
    ["with its members in alphabetical order", spaced(sorted(value))],
    ["with a Windows line break at its end", `${text}\r\n`],
  ];
  const seen = new Set([text]);
  return forms.flatMap(([name, form]) => {
    if (seen.has(form)) return [];
    seen.add(form);
    return [{ name, bytes: Buffer.from(form) }];
  });
}

function withSpaces(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withSpaces).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${withSpaces(one)}`,
  );
  return `{${members.join(", ")}}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
const toAscii = (text: string): string => text.replace(/[^\x20-\x7e\n]/g, escaped);
const toGo = (text: string): string => text.replace(/[<>&]/g, escaped);

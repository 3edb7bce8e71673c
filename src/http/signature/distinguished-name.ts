type Attribute = { type: string; value: string };

// Attribute types by their written names. Source: RFC 4514 section 3, RFC 4519.
const identifiers: Readonly<Record<string, string>> = {
  cn: "2.5.4.3",
  sn: "2.5.4.4",
  serialnumber: "2.5.4.5",
  c: "2.5.4.6",
  l: "2.5.4.7",
  st: "2.5.4.8",
  s: "2.5.4.8",
  street: "2.5.4.9",
  o: "2.5.4.10",
  ou: "2.5.4.11",
  t: "2.5.4.12",
  title: "2.5.4.12",
  businesscategory: "2.5.4.15",
  postalcode: "2.5.4.17",
  gn: "2.5.4.42",
  givenname: "2.5.4.42",
  organizationidentifier: "2.5.4.97",
  jurisdictionl: "1.3.6.1.4.1.311.60.2.1.1",
  jurisdictionst: "1.3.6.1.4.1.311.60.2.1.2",
  jurisdictionc: "1.3.6.1.4.1.311.60.2.1.3",
  dc: "0.9.2342.19200300.100.1.25",
  uid: "0.9.2342.19200300.100.1.1",
  e: "1.2.840.113549.1.9.1",
  emailaddress: "1.2.840.113549.1.9.1",
};

/**
 * Whether two distinguished names are equal. Each is RFC 4514 text, or Node's form of a
 * certificate's subject (the same escapes, one RDN per line). Names and OIDs of attributes, plain
 * and `#`-hex values, quotes, letter case, inner white space and the order of the RDNs do not count
 * as differences. A missing or extra attribute does. A name that cannot be read equals no other.
 * Source: RFC 4514.
 */
export function isSameName(a: string, b: string): boolean {
  const left = canonicalName(a);
  return left !== null && left === canonicalName(b);
}

/** An attribute that a name should have: `found` is the value it has, null without any. */
export type NameDifference = { attribute: string; expected: string; found: string | null };

/**
 * Returns the first attribute of `wanted` that `name` lacks or has with another value; null if it
 * has them all. Names may be written as for `isSameName`. Values must have the same letter case,
 * because ids may differ only by case. A name that cannot be read lacks every attribute.
 */
export function firstDifference(name: string, wanted: string): NameDifference | null {
  const attributes = parseName(name)?.flat() ?? [];
  const expected = parseName(wanted)?.flat() ?? [{ type: "subject", value: wanted }];
  for (const { type, value } of expected) {
    const values = attributes.filter((one) => one.type === type).map((one) => one.value);
    if (values.includes(value)) continue;
    const attribute = shortNames.get(type) ?? type;
    return { attribute, expected: value, found: values[0] ?? null };
  }
  return null;
}

const shortNames = new Map([
  ["2.5.4.3", "CN"],
  ["2.5.4.6", "C"],
  ["2.5.4.10", "O"],
  ["2.5.4.11", "OU"],
  ["2.5.4.97", "organizationIdentifier"],
]);

function canonicalName(text: string): string | null {
  const rdns = parseName(text);
  if (rdns === null) return null;
  const canonical = rdns.map((rdn) => rdn.map((one) => JSON.stringify(folded(one))).sort());
  return JSON.stringify(canonical.map((rdn) => rdn.join("+")).sort());
}

const folded = ({ type, value }: Attribute): Attribute => ({
  type,
  value: value.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase(),
});

/** The RDNs of a name; null when it cannot be read. */
function parseName(text: string): Attribute[][] | null {
  const separator = text.includes("\n") ? /\n/ : /[,;]/;
  const rdns = split(text, separator).map((rdn) => split(rdn, /\+/).map(parseAttribute));
  return rdns.flat().includes(null) ? null : (rdns as Attribute[][]);
}

// Splits at separators that are neither escaped nor quoted.
function split(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let part = "";
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") part += character + text.charAt(++at);
    else if (!quoted && separator.test(character)) {
      parts.push(part);
      part = "";
    } else {
      if (character === '"') quoted = !quoted;
      part += character;
    }
  }
  return [...parts, part];
}

function parseAttribute(text: string): Attribute | null {
  const equals = text.indexOf("=");
  if (equals < 1) return null;
  const name = text
    .slice(0, equals)
    .trim()
    .toLowerCase()
    .replace(/^oid\./, "");
  const type = /^\d+(\.\d+)+$/.test(name) ? name : identifiers[name];
  const value = parseValue(text.slice(equals + 1).trim());
  if (type === undefined || value === null) return null;
  return { type, value };
}

function parseValue(text: string): string | null {
  if (text.startsWith("#")) return parseHexValue(text.slice(1));
  const plain = /^"(.*)"$/s.exec(text)?.[1] ?? text;
  // escaped bytes are UTF-8, and may be next to plain characters
  return plain.replace(/((?:\\[0-9a-f]{2})+)|\\(.)/gis, (_, run?: string, one?: string) =>
    run ? Buffer.from(run.replaceAll("\\", ""), "hex").toString("utf8") : (one ?? ""),
  );
}

// One string in BER with a one-byte length; UTF-16 strings are not used.
function parseHexValue(hex: string): string | null {
  if (!/^([0-9a-f]{2}){2,129}$/i.test(hex)) return null;
  const bytes = Buffer.from(hex, "hex");
  return bytes[1] === bytes.length - 2 ? bytes.toString("utf8", 2) : null;
}

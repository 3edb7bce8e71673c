import { type Der, parseDer } from "./der.ts";

type Attribute = { type: string; value: string };

/** Identifiers of the attributes that identify organisations and software. */
export const oids = {
  commonName: "2.5.4.3",
  country: "2.5.4.6",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
  organizationIdentifier: "2.5.4.97",
} as const;

// Attribute types by their written names. Source: RFC 4514 section 3, RFC 4519 section 2.
const identifiers: Readonly<Record<string, string>> = {
  cn: oids.commonName,
  sn: "2.5.4.4",
  serialnumber: "2.5.4.5",
  c: oids.country,
  l: "2.5.4.7",
  st: "2.5.4.8",
  s: "2.5.4.8",
  street: "2.5.4.9",
  o: oids.organization,
  ou: oids.organizationalUnit,
  t: "2.5.4.12",
  title: "2.5.4.12",
  businesscategory: "2.5.4.15",
  postalcode: "2.5.4.17",
  gn: "2.5.4.42",
  givenname: "2.5.4.42",
  organizationidentifier: oids.organizationIdentifier,
  jurisdictionl: "1.3.6.1.4.1.311.60.2.1.1",
  jurisdictionst: "1.3.6.1.4.1.311.60.2.1.2",
  jurisdictionc: "1.3.6.1.4.1.311.60.2.1.3",
  dc: "0.9.2342.19200300.100.1.25",
  uid: "0.9.2342.19200300.100.1.1",
  e: "1.2.840.113549.1.9.1",
  emailaddress: "1.2.840.113549.1.9.1",
};

/** A distinguished name in the order of its encoding. */
export type DistinguishedName = readonly Attribute[];

/** Reads a name in DER. The parts of a multi-valued RDN become attributes of the name. */
export const readName = (name: Der): DistinguishedName => name.items.flatMap(readRdn);

const readRdn = (rdn: Der): Attribute[] =>
  rdn.items.map((pair) => {
    const value = pair.at(1);
    return { type: pair.at(0).oid ?? "", value: value.text ?? `#${value.bytes.toString("hex")}` };
  });

/**
 * Whether two names in DER are the same. The string types of values, their letter case and repeated
 * white space make no difference; the order of the RDNs does. Source: RFC 5280 section 7.1.
 */
export const isSameName = (one: Der, other: Der): boolean =>
  one.items.length === other.items.length && isNameBelow(one, other);

/** Whether a name in DER begins with all RDNs of another, as in name constraints. */
export const isNameBelow = ({ items }: Der, base: Der): boolean =>
  base.items.every((rdn, at) => {
    const own = items[at];
    return own !== undefined && canonicalName(readRdn(own)) === canonicalName(readRdn(rdn));
  });

/**
 * Parses a name in the notation of RFC 4514. Attributes may be names or OIDs, values may be plain,
 * escaped, quoted or `#` and the DER value in hex. Returns null for a name that cannot be read or
 * has a multi-valued RDN. Source.
 */
export function parseName(text: string): DistinguishedName | null {
  const rdns = split(text, /[,;]/);
  if (rdns.some((rdn) => split(rdn, /\+/).length > 1)) return null;
  const attributes = rdns.map(parseAttribute);
  return attributes.includes(null) ? null : (attributes as Attribute[]);
}

const identifying = new Set<string>([oids.organizationIdentifier, oids.commonName, oids.country]);

/**
 * Whether a certificate's subject is a registered name. Letter case, inner white space and the
 * order of attributes do not count as differences; a missing or extra attribute does. If the
 * registered name has an `organizationIdentifier`, only that, CN and C are compared, because other
 * attributes differ between an organisation's certificates. A name that cannot be read matches
 * nothing. Source.
 */
export function isRegisteredName(subject: DistinguishedName, registered: string): boolean {
  const name = parseName(registered);
  if (name === null) return false;
  const isEidas = name.some(({ type }) => type === oids.organizationIdentifier);
  const counts = ({ type }: Attribute): boolean => !isEidas || identifying.has(type);
  return canonicalName(subject.filter(counts)) === canonicalName(name.filter(counts));
}

/** An attribute that a name should have. `found` is the value that it has; null if it has none. */
type NameDifference = { attribute: string; expected: string; found: string | null };

/**
 * Returns the first attribute of `wanted`, a name in the notation of RFC 4514, that `subject` lacks
 * or has with another value; null if it has them all. Values must have the same letter case,
 * because ids may differ only by case. A name that cannot be read is a difference.
 */
export function firstDifference(subject: DistinguishedName, wanted: string): NameDifference | null {
  const expected = parseName(wanted) ?? [{ type: "subject", value: wanted }];
  for (const { type, value } of expected) {
    const values = subject.filter((one) => one.type === type).map((one) => one.value);
    if (values.includes(value)) continue;
    const attribute = shortNames.get(type) ?? type;
    return { attribute, expected: value, found: values[0] ?? null };
  }
  return null;
}

/** The first value of an attribute; null if the name has none. */
export const attributeOf = (name: DistinguishedName, type: string): string | null =>
  name.find((one) => one.type === type)?.value ?? null;

const shortNames = new Map<string, string>([
  [oids.commonName, "CN"],
  [oids.country, "C"],
  [oids.organization, "O"],
  [oids.organizationalUnit, "OU"],
  [oids.organizationIdentifier, "organizationIdentifier"],
]);

const canonicalName = (name: DistinguishedName): string =>
  JSON.stringify(name.map((one) => JSON.stringify(folded(one))).sort());

const folded = ({ type, value }: Attribute): Attribute => ({
  type,
  value: value.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase(),
});

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
  const value = parseValue(trimmed(text.slice(equals + 1)));
  if (type === undefined || value === null) return null;
  return { type, value };
}

// the first white space at the end may be escaped
function trimmed(text: string): string {
  const start = text.trimStart();
  const whole = start.trimEnd();
  return whole.endsWith("\\") ? start.slice(0, whole.length + 1) : whole;
}

function parseValue(text: string): string | null {
  if (text.startsWith("#")) return parseHexValue(text.slice(1));
  const plain = /^"(.*)"$/s.exec(text)?.[1] ?? text;
  // escaped bytes are UTF-8, and may be next to plain characters
  return plain.replace(/((?:\\[0-9a-f]{2})+)|\\(.)/gis, (_, run?: string, one?: string) =>
    run ? Buffer.from(run.replaceAll("\\", ""), "hex").toString("utf8") : (one ?? ""),
  );
}

function parseHexValue(hex: string): string | null {
  if (!/^([0-9a-f]{2})+$/i.test(hex)) return null;
  try {
    return parseDer(Buffer.from(hex, "hex")).text;
  } catch {
    return null;
  }
}

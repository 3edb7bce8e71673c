type Attribute = { type: string; value: string };
type Tlv = { tag: number; content: Buffer; end: number };

// Attribute types by the names that they are written with. Source: RFC 4514 section 3, RFC 4519.
const oids: Record<string, string> = {
  CN: "2.5.4.3",
  SN: "2.5.4.4",
  SERIALNUMBER: "2.5.4.5",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  S: "2.5.4.8",
  STREET: "2.5.4.9",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  T: "2.5.4.12",
  TITLE: "2.5.4.12",
  BUSINESSCATEGORY: "2.5.4.15",
  POSTALCODE: "2.5.4.17",
  GIVENNAME: "2.5.4.42",
  ORGANIZATIONIDENTIFIER: "2.5.4.97",
  UID: "0.9.2342.19200300.100.1.1",
  DC: "0.9.2342.19200300.100.1.25",
  EMAILADDRESS: "1.2.840.113549.1.9.1",
  E: "1.2.840.113549.1.9.1",
};

/**
 * Whether a certificate (DER) has the subject that text in the form of RFC 4514 names. Names and
 * OIDs of attributes, plain and `#`-hex values, escapes, letter case, inner white space and the
 * order of the RDNs make no difference; a missing or added attribute does.
 * Source: RFC 4514; security digest 2.3.
 */
export function subjectMatches(certificate: Buffer, expected: string): boolean {
  try {
    return key(parseSubject(certificate)) === key(parseName(expected));
  } catch {
    return false;
  }
}

const key = (rdns: Attribute[][]): string =>
  rdns
    .map((rdn) =>
      rdn
        .map(({ type, value }) => `${type}=${JSON.stringify(normal(value))}`)
        .sort()
        .join("+"),
    )
    .sort()
    .join(",");

const normal = (value: string): string =>
  value.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();

function parseName(text: string): Attribute[][] {
  return split(text, /[,;]/).map((rdn) => split(rdn, /\+/).map(parseAttribute));
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

function parseAttribute(text: string): Attribute {
  const equals = text.indexOf("=");
  if (equals < 1) throw new Error("an attribute is type=value");
  const name = text
    .slice(0, equals)
    .trim()
    .toUpperCase()
    .replace(/^OID\./, "");
  const type = /^\d+(\.\d+)+$/.test(name) ? name : oids[name];
  if (type === undefined) throw new Error(`unknown attribute type ${name}`);
  return { type, value: parseValue(text.slice(equals + 1).trim()) };
}

function parseValue(text: string): string {
  if (text.startsWith("#")) {
    if (!/^#([0-9a-f]{2})+$/i.test(text)) throw new Error("not a hex value");
    return stringOf(readTlv(Buffer.from(text.slice(1), "hex"), 0));
  }
  const plain = /^"(.*)"$/s.exec(text)?.[1] ?? text;
  // escaped bytes are UTF-8, and may stand beside plain characters
  const bytes = plain.replace(/(?:\\[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll("\\", ""), "hex").toString("utf8"),
  );
  return bytes.replace(/\\(.)/gs, "$1");
}

// Certificate → tbsCertificate → subject, the fifth member after the optional version.
function parseSubject(certificate: Buffer): Attribute[][] {
  const tbs = children(readTlv(readTlv(certificate, 0).content, 0));
  const subject = tbs[tbs[0]?.tag === 0xa0 ? 5 : 4];
  if (!subject) throw new Error("not a certificate");
  return children(subject).map((rdn) =>
    children(rdn).map((attribute) => {
      const [type, value] = children(attribute);
      if (!type || !value) throw new Error("not a distinguished name");
      return { type: parseOid(type.content), value: stringOf(value) };
    }),
  );
}

function readTlv(bytes: Buffer, offset: number): Tlv {
  const tag = bytes.readUInt8(offset);
  let start = offset + 2;
  let length = bytes.readUInt8(offset + 1);
  if (length > 0x80) {
    const size = length - 0x80;
    length = bytes.readUIntBE(start, size);
    start += size;
  }
  const end = start + length;
  if (end > bytes.length) throw new Error("DER is cut short");
  return { tag, content: bytes.subarray(start, end), end };
}

function children({ content }: Tlv): Tlv[] {
  const found: Tlv[] = [];
  for (let at = 0; at < content.length; ) {
    const child = readTlv(content, at);
    found.push(child);
    at = child.end;
  }
  return found;
}

// UTF8String, PrintableString, IA5String and TeletexString read as UTF-8; BMPString is UTF-16.
function stringOf({ tag, content }: Tlv): string {
  if (tag === 0x1e) return Buffer.from(content).swap16().toString("utf16le");
  return content.toString("utf8");
}

function parseOid(bytes: Buffer): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const [head = 0, ...rest] = numbers;
  const root = Math.min(2, Math.floor(head / 40));
  return [root, head - root * 40, ...rest].join(".");
}

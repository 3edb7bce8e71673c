// Object identifiers of the attributes that certificates of the Open Banking world carry.
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
  businesscategory: "2.5.4.15",
  postalcode: "2.5.4.17",
  organizationidentifier: "2.5.4.97",
  jurisdictionc: "1.3.6.1.4.1.311.60.2.1.3",
  dc: "0.9.2342.19200300.100.1.25",
  uid: "0.9.2342.19200300.100.1.1",
  emailaddress: "1.2.840.113549.1.9.1",
};

/**
 * Whether two distinguished names say the same, in RFC 4514's text or an attribute a line: either
 * order, attributes by name or by number. Hexadecimal values are not decoded.
 */
export function isSameName(a: string, b: string): boolean {
  const left = attributesOf(a);
  return left !== null && left === attributesOf(b);
}

function attributesOf(name: string): string | null {
  const separator = name.includes("\n") ? /\n|(?<!\\)\+/ : /(?<!\\)[,+]/;
  const parts = name.split(separator).map((part) => part.trim());
  const attributes: string[] = [];
  for (const part of parts) {
    const at = part.indexOf("=");
    if (at < 1) return null;
    const type = part
      .slice(0, at)
      .trim()
      .toLowerCase()
      .replace(/^oid\./, "");
    const value = part
      .slice(at + 1)
      .trim()
      .replace(/\\(.)/g, "$1");
    attributes.push(JSON.stringify([identifiers[type] ?? type, value]));
  }
  return attributes.sort().join();
}

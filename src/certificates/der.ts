import { isUtf8 } from "node:buffer";

/** The identifier octets of the universal types that are read by their tag. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

// A trusted certificate has some hundred values and a few kilobytes.
const mostBytes = 65_536;
const mostValues = 4_000;
const mostDepth = 32;

/** A DER value, of which only the parts that are asked for are decoded. */
export class Der {
  /** The whole value as it was encoded. */
  readonly bytes: Buffer;
  #items: readonly Der[] | null = null;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The first identifier octet: class, form and number of the type. */
  get tag(): number {
    return this.bytes[0] ?? 0;
  }

  /** The contents without tag and length. */
  get content(): Buffer {
    return this.bytes.subarray(boundsOf(this.bytes, 0).start);
  }

  /** The values in a constructed value; empty for a primitive one. */
  get items(): readonly Der[] {
    this.#items ??= isConstructed(this.tag)
      ? membersOf(this.bytes, mostValues).map((one) => new Der(one))
      : [];
    return this.#items;
  }

  /** The value of a character string of any type; null if it is another type or malformed. */
  get text(): string | null {
    const { tag, content } = this;
    if (!stringTags.has(tag)) return null;
    if (tag === tags.bmpString || tag === tags.universalString) {
      return wideText(content, tag === tags.bmpString ? 2 : 4);
    }
    // the other types have one octet for each character
    return content.toString(tag === tags.utf8String && isUtf8(content) ? "utf8" : "latin1");
  }

  /** The dotted form of an object identifier; null if it is another type or malformed. */
  get oid(): string | null {
    if (this.tag !== tags.oid || this.bytes.length > mostOidBytes) return null;
    return dottedOf(this.content);
  }

  /** The value at an index. Throws if there is none. */
  at(index: number): Der {
    const item = this.items[index];
    if (item === undefined) throw new Error(`the ASN.1 value has no member ${index}`);
    return item;
  }

  /** The member with a tag; null if there is none. */
  tagged(tag: number): Der | null {
    return this.items.find((item) => item.tag === tag) ?? null;
  }
}

// the character strings of ASN.1, from UTF8String to BMPString
const stringTags = new Set([12, 18, 19, 20, 21, 22, 25, 26, 27, 28, 29, 30]);
// the known identifiers have at most a quarter of this
const mostOidBytes = 64;

/** A text of characters with two or four octets each. */
function wideText(content: Buffer, width: 2 | 4): string | null {
  if (content.length % width !== 0) return null;
  let text = "";
  for (let at = 0; at < content.length; at += width) {
    const code = content.readUIntBE(at, width);
    if (code > 0x10ffff) return null;
    text += width === 2 ? String.fromCharCode(code) : String.fromCodePoint(code);
  }
  return text;
}

/** Each arc has seven bits in an octet, of which all but its last have the high bit. */
function dottedOf(content: Buffer): string | null {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const octet of content) {
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    if (octet >= longForm) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [first] = arcs;
  if (first === undefined || (content.at(-1) ?? 0) >= longForm) return null;
  // the first two arcs are one number, in which the first is at most 2
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...arcs.slice(1)].join(".");
}

/**
 * Reads one value in DER, which may come from anyone. Throws unless the bytes are exactly one
 * value of at most 64 kB with at most 4,000 values in it.
 */
export function parseDer(bytes: Uint8Array): Der {
  if (bytes.length > mostBytes) throw new Error("the ASN.1 value is larger than 64 kB");
  const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ends: number[] = [];
  let at = 0;
  for (let count = 1; ; count += 1) {
    if (count > mostValues) throw new Error(`the ASN.1 value has more than ${mostValues} values`);
    const { start, end } = boundsOf(value, at);
    if (end > (ends.at(-1) ?? value.length)) throw new Error(incomplete);
    if (isConstructed(value[at] ?? 0)) {
      if (ends.push(end) > mostDepth) throw new Error("the ASN.1 value is nested too deeply");
      at = start;
    } else at = end;
    while (ends.at(-1) === at) ends.pop();
    if (ends.length === 0) break;
  }
  if (at !== value.length) throw new Error(incomplete);
  return new Der(value);
}

/** The extensions of a certificate, a list or a response. Each is parsed when it is read. */
export class Extensions {
  readonly #encoded = new Map<string, Buffer>();
  /** The identifiers of the critical extensions. */
  readonly critical: readonly string[];

  constructor(list: Der | null) {
    const critical: string[] = [];
    for (const { items } of list?.items ?? []) {
      const [id, flag] = items;
      const value = items.at(-1);
      const name = id?.oid ?? "malformed";
      if (flag?.tag === tags.boolean && flag.content[0] !== 0) critical.push(name);
      if (value?.tag === tags.octetString) this.#encoded.set(name, value.content);
    }
    this.critical = critical;
  }

  /** Whether there is an extension with an identifier. */
  has(id: string): boolean {
    return this.#encoded.has(id);
  }

  /** The extension with an identifier; null if there is none. Throws if it is malformed. */
  get(id: string): Der | null {
    const encoded = this.#encoded.get(id);
    return encoded === undefined ? null : parseDer(encoded);
  }
}

/**
 * Splits a constructed value in DER into the encodings of its members, without reading them. Throws
 * if a length is wrong, or if there are more members than `most`.
 */
export function membersOf(bytes: Buffer, most: number): Buffer[] {
  const members: Buffer[] = [];
  for (const member of eachMember(bytes)) {
    if (members.length === most) throw new Error(`the ASN.1 value has more than ${most} members`);
    members.push(member);
  }
  return members;
}

/**
 * Walks through the members of a constructed value in DER, of which there may be a million. Throws
 * if a length is wrong.
 */
function* eachMember(bytes: Buffer): Generator<Buffer, void> {
  const outer = boundsOf(bytes, 0);
  if (outer.end !== bytes.length) throw new Error(incomplete);
  for (let at = outer.start; at < outer.end; ) {
    const { end } = boundsOf(bytes, at);
    yield bytes.subarray(at, end);
    at = end;
  }
}

const incomplete = "the ASN.1 value is not complete";
const isConstructed = (tag: number): boolean => (tag & 0x20) !== 0;

const longForm = 0x80;
const highTag = 0x1f;
const mostLengthBytes = 4;

/** Where the contents of the value at a position begin and end. Throws if a length is wrong. */
export function boundsOf(bytes: Buffer, position: number): { start: number; end: number } {
  let at = position + 1;
  // the number of a type above 30 follows the first octet
  if (((bytes[position] ?? 0) & highTag) === highTag) {
    while ((bytes[at] ?? 0) >= longForm) at += 1;
    at += 1;
  }
  const first = bytes[at] ?? 0;
  const count = first < longForm ? 0 : first - longForm;
  if ((first >= longForm && count === 0) || count > mostLengthBytes) {
    throw new Error("the length of an ASN.1 value is indefinite or too large");
  }
  const start = at + 1 + count;
  if (start > bytes.length) throw new Error(incomplete);
  const length = count === 0 ? first : bytes.readUIntBE(at + 1, count);
  if (start + length > bytes.length) throw new Error(incomplete);
  return { start, end: start + length };
}

const utcTimeTag = 0x17;

/** Reads UTCTime or GeneralizedTime; throws if malformed. Source: RFC 5280 section 4.1.2.5. */
export function readTime(value: Der): Temporal.Instant {
  const text = value.content.toString("latin1");
  const full =
    value.tag === utcTimeTag ? `${Number(text.slice(0, 2)) < 50 ? 20 : 19}${text}` : text;
  const parts = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?(?:\.\d+)?Z$/.exec(full);
  if (!parts) throw new Error("a date is malformed");
  const [, year, month, day, hour, minute, second = "00"] = parts;
  return Temporal.Instant.from(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

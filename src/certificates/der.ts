import { BaseStringBlock, type FromBerResult, fromBER, ObjectIdentifier } from "asn1js";

type Block = FromBerResult["result"];

/** The identifier octets of the universal types that are read by their tag. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  sequence: 0x30,
} as const;

/** A parsed DER value: its tag and its contents or, if it is constructed, the values in it. */
export class Der {
  readonly #block: Block;

  constructor(block: Block) {
    this.#block = block;
  }

  /** The identifier octet: class, form and number of the type. */
  get tag(): number {
    const { tagClass, isConstructed, tagNumber } = this.#block.idBlock;
    return ((tagClass - 1) << 6) | (isConstructed ? 0x20 : 0) | tagNumber;
  }

  /** The whole value as it was encoded. */
  get bytes(): Buffer {
    return bufferOf(this.#block.valueBeforeDecodeView);
  }

  /** The contents without tag and length. */
  get content(): Buffer {
    const { idBlock, lenBlock } = this.#block;
    return this.bytes.subarray(idBlock.blockLength + lenBlock.blockLength);
  }

  /** The values in a constructed value; empty for a primitive one. */
  get items(): Der[] {
    const { value } = this.#block.valueBlock as { value?: unknown };
    return Array.isArray(value) ? value.map((one: Block) => new Der(one)) : [];
  }

  /** The value of a character string of any type; null if it is another type. */
  get text(): string | null {
    return this.#block instanceof BaseStringBlock ? this.#block.getValue() : null;
  }

  /** The dotted form of an object identifier; null if it is another type. */
  get oid(): string | null {
    return this.#block instanceof ObjectIdentifier ? this.#block.getValue() : null;
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

const bufferOf = (view: Uint8Array): Buffer =>
  Buffer.from(view.buffer, view.byteOffset, view.byteLength);

// Lists of revoked certificates are long; the code that receives them limits their size.
const limits = {
  maxNodes: 20_000_000,
  maxContentLength: 256 * 1024 * 1024,
  parseEmbedded: false,
  copyInput: false,
};

/** Parses one value in DER. Throws if the bytes are not exactly one value. */
export function parseDer(bytes: Uint8Array): Der {
  const { offset, result } = fromBER(bytes as Uint8Array<ArrayBuffer>, limits);
  if (offset !== bytes.length) throw new Error(result.error || "the ASN.1 value is not complete");
  return new Der(result);
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
      if (!id?.oid || value?.tag !== tags.octetString) continue;
      this.#encoded.set(id.oid, value.content);
      if (flag?.tag === tags.boolean && flag.content[0] !== 0) critical.push(id.oid);
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
 * Splits a constructed value in DER into the encodings of its members, without parsing them. Lists
 * of revoked certificates may have many thousand members. Throws if a length is wrong.
 */
export function membersOf(bytes: Buffer): Buffer[] {
  const outer = headerOf(bytes, 0);
  if (outer.end !== bytes.length) throw new Error("the ASN.1 value is not complete");
  const members: Buffer[] = [];
  for (let at = outer.start; at < outer.end; ) {
    const { end } = headerOf(bytes, at);
    members.push(bytes.subarray(at, end));
    at = end;
  }
  return members;
}

const longForm = 0x80;
const mostLengthBytes = 4;

/** Where the contents of the value at a position begin and end. */
function headerOf(bytes: Buffer, at: number): { start: number; end: number } {
  const first = bytes[at + 1] ?? 0;
  const count = first < longForm ? 0 : first - longForm;
  if ((first >= longForm && count === 0) || count > mostLengthBytes) {
    throw new Error("the length of an ASN.1 value is indefinite or too large");
  }
  const start = at + 2 + count;
  if (start > bytes.length) throw new Error("the ASN.1 value is not complete");
  const length = count === 0 ? first : bytes.readUIntBE(at + 2, count);
  if (start + length > bytes.length) throw new Error("the ASN.1 value is not complete");
  return { start, end: start + length };
}

// Writes values in DER (ITU-T X.690). Every function returns the bytes of one value.

/** A value of any type: its tag, its length and its contents. */
export function derValue(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = fewestOctets(Buffer.from([length >> 24, length >> 16, length >> 8, length]));
  return Buffer.concat([Buffer.of(0x80 + bytes.length), bytes]);
}

function fewestOctets(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? Buffer.of(0) : bytes.subarray(first);
}

/** A sequence. */
export const sequence = (...values: Uint8Array[]): Buffer => derValue(0x30, ...values);

/** An object identifier, from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return derValue(0x06, ...[first * 40 + second, ...rest].map(arcOf));
}

// seven bits in each octet, of which all but the last have the high bit
function arcOf(arc: number): Buffer {
  const octets = [arc % 0x80];
  for (let rest = Math.floor(arc / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) {
    octets.unshift((rest % 0x80) + 0x80);
  }
  return Buffer.from(octets);
}

/** Writes a positive integer, given its octets, in as few octets as possible, as DER requires. */
export function integer(bytes: Uint8Array): Buffer {
  const fewest = fewestOctets(bytes);
  return derValue(0x02, Buffer.alloc((fewest[0] ?? 0) >= 0x80 ? 1 : 0), fewest);
}

/** A positive integer below 2^32. */
export function smallInteger(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return integer(bytes);
}

/** An octet string of bytes, such as those of another value. */
export const octets = (content: Uint8Array): Buffer => derValue(0x04, content);

/** A bit string. The last octet may have unused bits. */
export const bits = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  derValue(0x03, Buffer.of(unusedBits), bytes);

/** The value of no information. */
export const nothing = Buffer.of(0x05, 0);

/** A constructed value with a tag of its context. */
export const tagged = (tagNumber: number, ...values: Uint8Array[]): Buffer =>
  derValue(0xa0 + tagNumber, ...values);

/** A primitive value with a tag of its context. */
export const primitive = (tagNumber: number, ...contents: Uint8Array[]): Buffer =>
  derValue(0x80 + tagNumber, ...contents);

/** A time with a year of four digits, in whole seconds. */
export const time = (at: Temporal.Instant): Buffer => derValue(0x18, Buffer.from(digitsOf(at)));

/** A time with a year of two digits, in whole seconds. */
export const utcTime = (at: Temporal.Instant): Buffer =>
  derValue(0x17, Buffer.from(digitsOf(at).slice(2)));

const digitsOf = (at: Temporal.Instant): string =>
  at.toString({ smallestUnit: "second" }).replaceAll(/[-:T]/g, "");

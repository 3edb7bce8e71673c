/** One DER value: tag, length, content. Source: X.690 section 8.1. */
export function der(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

/** SEQUENCE. */
export const sequence = (...members: Uint8Array[]): Buffer => der(0x30, ...members);
/** SET. */
export const set = (...members: Uint8Array[]): Buffer => der(0x31, ...members);
/** OCTET STRING. */
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
/** BIT STRING; `unused` bits of the last byte do not count. */
export const bits = (content: Uint8Array, unused = 0): Buffer =>
  der(0x03, Buffer.from([unused]), content);
/** UTF8String. */
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text));
/** PrintableString. */
export const printable = (text: string): Buffer => der(0x13, Buffer.from(text));
/** BOOLEAN, true. */
export const yes = (): Buffer => der(0x01, Buffer.from([0xff]));

/** A positive integer from its bytes, most significant first. */
export function integer(bytes: Uint8Array): Buffer {
  return der(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [root = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [root * 40 + second, ...rest].flatMap((number) => {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.from(bytes));
}

/** GeneralizedTime, or UTCTime before 2050. Source: RFC 5280 section 4.1.2.5. */
export function time(instant: Temporal.Instant): Buffer {
  const text = instant.toString({ smallestUnit: "second" }).replace(/[-:T]/g, "");
  return text < "2050" ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

// The values of which certificates, lists of revoked certificates and OCSP responses consist.
import { type KeyObject, sign } from "node:crypto";
import {
  type AsnType,
  BitString,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  UTCTime,
} from "asn1js";

/** A value of any type. */
export type Block = AsnType;

/** Makes a sequence. */
export const sequence = (...value: Block[]): Sequence => new Sequence({ value });

/** Makes an object identifier. */
export const oid = (value: string): ObjectIdentifier => new ObjectIdentifier({ value });

/** Makes a small integer. */
export const integer = (value: number): Integer => new Integer({ value });

/** Makes an octet string of bytes, or of an encoded value. */
export const octets = (content: Uint8Array | Block): OctetString =>
  new OctetString({ valueHex: content instanceof Uint8Array ? arrayOf(content) : content.toBER() });

/** Makes a bit string; the last octet may have unused bits. */
export const bits = (bytes: Uint8Array, unusedBits = 0): BitString =>
  new BitString({ valueHex: arrayOf(bytes), unusedBits });

/** Makes a constructed value with a tag of its context. */
export const tagged = (tagNumber: number, ...value: Block[]): Constructed =>
  new Constructed({ idBlock: { tagClass: 3, tagNumber }, value });

/** Makes a primitive value with a tag of its context. */
export const primitive = (tagNumber: number, bytes: Uint8Array = Buffer.of()): Primitive =>
  new Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex: arrayOf(bytes) });

/** Reads a value that is encoded already. */
export const raw = (bytes: Uint8Array): Block => fromBER(arrayOf(bytes)).result;

/** Makes a time with a year of four digits, in whole seconds. */
export const time = (at: Temporal.Instant): GeneralizedTime =>
  new GeneralizedTime({ valueDate: secondOf(at) });

/** Makes a time with a year of two digits, in whole seconds. */
export const utcTime = (at: Temporal.Instant): UTCTime => new UTCTime({ valueDate: secondOf(at) });

/** Makes a certificate's positive serial number in the fewest octets, as DER requires. */
export function serialNumber(bytes: Buffer): Integer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const fewest = first < 0 ? Buffer.of(0) : bytes.subarray(first);
  const isHigh = (fewest[0] ?? 0) >= 0x80;
  return new Integer({
    valueHex: arrayOf(isHigh ? Buffer.concat([Buffer.of(0), fewest]) : fewest),
  });
}

/** The signature algorithm of a key, with SHA-256. Sources: RFC 5758, RFC 4055. */
export const algorithmOf = (key: KeyObject): Sequence =>
  key.asymmetricKeyType === "ec"
    ? sequence(oid("1.2.840.10045.4.3.2"))
    : sequence(oid("1.2.840.113549.1.1.11"), new Null());

/** Signs a body: the body, the algorithm and the signature. */
export const signed = (body: Sequence, key: KeyObject): Sequence =>
  sequence(body, algorithmOf(key), bits(sign("sha256", Buffer.from(body.toBER()), key)));

const secondOf = (at: Temporal.Instant): Date =>
  new Date(Math.floor(at.epochMilliseconds / 1000) * 1000);
const arrayOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

import type { X509Certificate } from "node:crypto";
import { Extensions, membersOf, parseDer, tags } from "./der.ts";
import { isSameName } from "./distinguished-name.ts";
import { isSignedBy } from "./signed.ts";
import { readTime } from "./time.ts";
import { nameBytesOf } from "./tpp-certificate.ts";

/** A list of revoked certificates. Source: RFC 5280 section 5. */
export type Crl = {
  thisUpdate: Temporal.Instant;
  /** When the issuer will have published the next list; null if it does not state this. */
  nextUpdate: Temporal.Instant | null;
  /** Upper-case hexadecimal serial numbers. */
  revoked: ReadonlySet<string>;
};

const extensionsTag = 0xa0;
const deltaIndicator = "2.5.29.27";
const distributionPoint = "2.5.29.28";
// a list of other issuers' certificates, of attribute certificates, or for some reasons only
const partialTags = [0x83, 0x84, 0x85];

/**
 * Parses a list (DER or PEM), and checks that the issuer signed it and that it is complete. Throws.
 */
export function readCrl(bytes: Buffer, issuer: X509Certificate): Crl {
  const [body = Buffer.alloc(0), ...signedBy] = membersOf(derOf(bytes));
  const [algorithm, signature] = signedBy.map(parseDer);
  if (!algorithm || !signature) throw new Error("the list is not signed");
  const members = membersOf(body);
  const start = members[0]?.[0] === tags.integer ? 1 : 0; // a version precedes the algorithm
  const [, name, thisUpdate, ...more] = members.slice(start);
  if (!name || !thisUpdate) throw new Error("the list has no issuer or no date");
  if (!isSameName(parseDer(name), parseDer(nameBytesOf(issuer).subject))) {
    throw new Error("the list belongs to another issuer");
  }
  // the first byte is the number of unused bits
  const signed = { body: { bytes: body }, algorithm, signature: signature.content.subarray(1) };
  if (!isSignedBy(signed, issuer.publicKey)) {
    throw new Error("the signature of the list does not verify with the issuer's key");
  }
  const [next] = more;
  const hasNext = next !== undefined && next[0] !== tags.sequence && next[0] !== extensionsTag;
  const revoked = more.find(([tag]) => tag === tags.sequence);
  const extensions = more.find(([tag]) => tag === extensionsTag);
  refusePartial(new Extensions(extensions ? parseDer(extensions).at(0) : null));
  return {
    thisUpdate: readTime(parseDer(thisUpdate)),
    nextUpdate: hasNext ? readTime(parseDer(next)) : null,
    revoked: new Set(revoked && membersOf(revoked).map(serialOfEntry)),
  };
}

function serialOfEntry(entry: Buffer): string {
  const [serial] = membersOf(entry);
  if (serial?.[0] !== tags.integer) throw new Error("an entry of the list has no serial number");
  return serialText(serial.subarray(serialHeaderBytes));
}

// a serial number has at most 20 bytes, so its length takes one byte
const serialHeaderBytes = 2;

function refusePartial(extensions: Extensions): void {
  if (extensions.has(deltaIndicator))
    throw new Error("the list is a delta CRL, not a complete one");
  const point = extensions.get(distributionPoint);
  if (point?.items.some(({ tag }) => partialTags.includes(tag))) {
    throw new Error("the list covers only some certificates or reasons");
  }
}

const pemLabel = "-----BEGIN ";

function derOf(bytes: Buffer): Buffer {
  if (bytes.toString("latin1", 0, pemLabel.length) !== pemLabel) return bytes;
  return Buffer.from(bytes.toString("latin1").replace(/-----[^-]+-----/g, ""), "base64");
}

/** A serial number as Node writes it: upper-case hexadecimal without leading zero bytes. */
export const serialText = (content: Buffer): string =>
  content
    .toString("hex")
    .toUpperCase()
    .replace(/^(00)+(?=..)/, "");

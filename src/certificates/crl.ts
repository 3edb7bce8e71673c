import type { X509Certificate } from "node:crypto";
import { Extensions, parseDer, tags } from "./der.ts";
import { isSignedBy, readSigned } from "./signed.ts";
import { readTime } from "./time.ts";
import { nameBytesOf } from "./tpp-certificate.ts";

/** A list of revoked certificates. Source: RFC 5280 section 5. */
export type Crl = {
  thisUpdate: Temporal.Instant;
  /** When the issuer will have published the next list; null if it does not say. */
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
  const signed = readSigned(parseDer(derOf(bytes)));
  const members = signed.body.items;
  const start = members[0]?.tag === tags.integer ? 1 : 0; // a version precedes the algorithm
  const [, name, thisUpdate, ...more] = members.slice(start);
  if (!name || !thisUpdate) throw new Error("the list has no issuer or no date");
  if (!name.bytes.equals(nameBytesOf(issuer).subject)) {
    throw new Error("the list is of another issuer");
  }
  if (!isSignedBy(signed, issuer.publicKey)) {
    throw new Error("the signature of the list is not the issuer's");
  }
  const [next] = more;
  const hasNext = next !== undefined && next.tag !== tags.sequence && next.tag !== extensionsTag;
  const revoked = more.find(({ tag }) => tag === tags.sequence);
  refusePartial(new Extensions(more.find(({ tag }) => tag === extensionsTag)?.at(0) ?? null));
  return {
    thisUpdate: readTime(thisUpdate),
    nextUpdate: hasNext ? readTime(next) : null,
    revoked: new Set(revoked?.items.map((entry) => serialText(entry.at(0).content))),
  };
}

function refusePartial(extensions: Extensions): void {
  if (extensions.has(deltaIndicator)) throw new Error("the list has changes only");
  const point = extensions.get(distributionPoint);
  if (point?.items.some(({ tag }) => partialTags.includes(tag))) {
    throw new Error("the list covers some certificates or reasons only");
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

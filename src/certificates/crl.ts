import type { X509Certificate } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { isLongSignedBy } from "./chain.ts";
import { Extensions, membersOf, parseDer, readTime, tags } from "./der.ts";
import { isSameName } from "./distinguished-name.ts";
import { Serials } from "./serials.ts";
import { nameBytesOf } from "./tpp-certificate.ts";

/** A list of revoked certificates. Source: RFC 5280 section 5. */
export type Crl = {
  thisUpdate: Temporal.Instant;
  /** When the issuer will have published the next list; null if it does not state this. */
  nextUpdate: Temporal.Instant | null;
  revoked: Serials;
};

const extensionsTag = 0xa0;
const deltaIndicator = "2.5.29.27";
const distributionPoint = "2.5.29.28";
// a list of other issuers' certificates, of attribute certificates, or for some reasons only
const partialTags = [0x83, 0x84, 0x85];

/**
 * Reads a list (DER or PEM): the issuer must have signed it, and it must be complete. Nothing but
 * the signature is read before it is verified. A list may be long, so other work goes on while its
 * entries are read. Throws.
 */
export async function readCrl(bytes: Buffer, issuer: X509Certificate): Promise<Crl> {
  // their last part came in this turn, and the thread that verifies them gets a copy
  await turn();
  const [body, algorithm, bits] = membersOf(await derOf(bytes), mostMembers);
  if (!body || !algorithm || !bits) throw new Error("the list is not signed");
  // the first byte is the number of unused bits
  const signature = parseDer(bits).content.subarray(1);
  const signed = { body: { bytes: body }, algorithm: parseDer(algorithm), signature };
  if (!(await isLongSignedBy(signed, issuer.publicKey))) {
    throw new Error("the signature of the list does not verify with the issuer's key");
  }
  const members = membersOf(body, mostMembers);
  const start = members[0]?.[0] === tags.integer ? 1 : 0; // a version precedes the algorithm
  const [, name, thisUpdate, ...more] = members.slice(start);
  if (!name || !thisUpdate) throw new Error("the list has no issuer or no date");
  if (!isSameName(parseDer(name), parseDer(nameBytesOf(issuer).subject))) {
    throw new Error("the list belongs to another issuer");
  }
  const [next] = more;
  const hasNext = next !== undefined && next[0] !== tags.sequence && next[0] !== extensionsTag;
  const entries = more.find(([tag]) => tag === tags.sequence);
  const extensions = more.find(([tag]) => tag === extensionsTag);
  refusePartial(new Extensions(extensions ? parseDer(extensions).at(0) : null));
  return {
    thisUpdate: readTime(parseDer(thisUpdate)),
    nextUpdate: hasNext ? readTime(parseDer(next)) : null,
    revoked: await Serials.of(entries ?? noEntries),
  };
}

// the members of a list and of its signed part, with some to spare
const mostMembers = 16;
const noEntries = Buffer.of(tags.sequence, 0);

function refusePartial(extensions: Extensions): void {
  if (extensions.has(deltaIndicator))
    throw new Error("the list is a delta CRL, not a complete one");
  const point = extensions.get(distributionPoint);
  if (point?.items.some(({ tag }) => partialTags.includes(tag))) {
    throw new Error("the list covers only some certificates or reasons");
  }
}

const pemLabel = Buffer.from("-----BEGIN ");
// less than a millisecond of work
const pemBytesPerTurn = 65_536;

async function derOf(bytes: Buffer): Promise<Buffer> {
  if (!bytes.subarray(0, pemLabel.length).equals(pemLabel)) return bytes;
  const der = Buffer.alloc(bytes.length);
  const end = bytes.lastIndexOf("-----END ");
  let written = 0;
  let rest = "";
  for (let at = bytes.indexOf("\n") + 1; at > 0 && at < end; at += pemBytesPerTurn) {
    const text = bytes.toString("latin1", at, Math.min(at + pemBytesPerTurn, end));
    const digits = rest + text.replaceAll(/\s/g, "");
    const whole = digits.length - (digits.length % 4);
    written += der.write(digits.slice(0, whole), written, "base64");
    rest = digits.slice(whole);
    await turn();
  }
  return der.subarray(0, written);
}

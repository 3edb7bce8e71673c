import { createHash, createPrivateKey, sign, type X509Certificate } from "node:crypto";
import { nameBytesOf } from "#src/certificates/tpp-certificate.ts";
import type { Entity } from "./authorities.ts";

/** Encodes a DER value from its tag and its contents. */
export function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.of(tag, 0x84), length, content]);
}

/** Encodes a sequence. */
export const sequence = (...members: Buffer[]): Buffer => der(0x30, ...members);

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const ecdsaWithSha256 = sequence(hex("06 08 2a8648ce3d040302"));
const sha1 = sequence(hex("06 05 2b0e03021a"), hex("05 00"));
const basicResponse = hex("06 09 2b0601050507300101");
const statuses = { good: hex("80 00"), unknown: hex("82 00") };

const time = (at: Temporal.Instant): Buffer => {
  const digits = at.toString({ smallestUnit: "second" }).replaceAll(/[-:T]/g, "");
  return der(0x18, Buffer.from(digits, "latin1"));
};

/** A signed structure: body, algorithm, signature by an EC key, and what follows. */
export function signedBy(signer: Entity, body: Buffer, ...more: Buffer[]): Buffer {
  const signature = sign("sha256", body, createPrivateKey(signer.key.privateKeyPem));
  return sequence(body, ecdsaWithSha256, der(0x03, Buffer.of(0), signature), ...more);
}

/** An OCSP response around a basic response. */
export const responseOf = (basic: Buffer): Buffer =>
  sequence(hex("0a 01 00"), der(0xa0, sequence(basicResponse, der(0x04, basic))));

/** The contents of an OCSP response. */
export type Answered = {
  certificate: X509Certificate;
  issuer: Entity;
  /** The responder; the issuer unless named. */
  signer?: Entity;
  /** The certificates that are sent with the response. */
  sent?: Entity[];
  status?: "good" | "revoked" | "unknown";
  thisUpdate: Temporal.Instant;
  nextUpdate?: Temporal.Instant;
};

/** Makes an OCSP response. Source: RFC 6960 section 4.2. */
export function makeResponse({ certificate, issuer, signer = issuer, ...given }: Answered): Buffer {
  const { sent = [], status = "good", thisUpdate, nextUpdate } = given;
  const { publicKey, subject } = nameBytesOf(issuer.certificate);
  const hash = (bytes: Buffer): Buffer => der(0x04, createHash("sha1").update(bytes).digest());
  const serial = der(0x02, hex(`00${certificate.serialNumber}`));
  const single = sequence(
    sequence(sha1, hash(nameBytesOf(certificate).issuer), hash(publicKey), serial),
    status === "revoked" ? der(0xa1, time(thisUpdate)) : statuses[status],
    time(thisUpdate),
    ...(nextUpdate ? [der(0xa0, time(nextUpdate))] : []),
  );
  const body = sequence(der(0xa1, subject), time(thisUpdate), sequence(single));
  const certificates = sent.map((one) => one.certificate.raw);
  const more = certificates.length > 0 ? [der(0xa0, sequence(...certificates))] : [];
  return responseOf(signedBy(signer, body, ...more));
}

import { createHash, X509Certificate } from "node:crypto";
import { Integer, Null, ObjectIdentifier, OctetString, Sequence } from "asn1js";
import { serialText } from "./crl.ts";
import { type Der, Extensions, parseDer, tags } from "./der.ts";
import { isSignedBy, readSigned } from "./signed.ts";
import { readTime } from "./time.ts";
import { nameBytesOf } from "./tpp-certificate.ts";

/** The status that a responder gives for one certificate. Source: RFC 6960 section 2.2. */
export type OcspStatus = {
  status: "good" | "revoked" | "unknown";
  thisUpdate: Temporal.Instant;
  /** Null if newer information is always available. */
  nextUpdate: Temporal.Instant | null;
};

const sha1 = "1.3.14.3.2.26";
const basicResponse = "1.3.6.1.5.5.7.48.1.1";
const ocspSigning = "1.3.6.1.5.5.7.3.9";
const extendedKeyUsage = "2.5.29.37";
const statuses = new Map<number, OcspStatus["status"]>([
  [0x80, "good"],
  [0xa1, "revoked"],
  [0x82, "unknown"],
]);

/**
 * Makes a request for the status of a certificate. It has no nonce, so responders may answer from
 * their cache. The hashes identify the issuer; they use SHA-1, which every responder supports.
 */
export function ocspRequest(certificate: X509Certificate, issuer: X509Certificate): Buffer {
  const { name, key } = hashesOf(certificate, issuer);
  const certId = new Sequence({
    value: [
      new Sequence({ value: [new ObjectIdentifier({ value: sha1 }), new Null()] }),
      new OctetString({ valueHex: arrayOf(name) }),
      new OctetString({ valueHex: arrayOf(key) }),
      new Integer({ valueHex: arrayOf(serialOf(certificate)) }),
    ],
  });
  const single = new Sequence({ value: [certId] });
  const list = new Sequence({ value: [single] });
  const body = new Sequence({ value: [list] });
  return Buffer.from(new Sequence({ value: [body] }).toBER());
}

/**
 * Reads a response: it must be signed by the issuer, or by a responder to which the issuer gave a
 * certificate for this purpose, and be about the certificate. Throws. Source: RFC 6960 section 3.2.
 */
export function readOcspResponse(
  bytes: Buffer,
  certificate: X509Certificate,
  issuer: X509Certificate,
): OcspStatus {
  const response = parseDer(bytes);
  const outcome = response.at(0).content[0];
  if (outcome !== 0) throw new Error(`the responder answers with the status ${outcome}`);
  const [type, content] = response.at(1).at(0).items;
  if (type?.oid !== basicResponse || !content) throw new Error("the response has an unknown type");
  const basic = parseDer(content.content);
  const signed = readSigned(basic);
  const certificates = basic.items[3]?.at(0).items ?? [];
  if (!isByResponder(signed, certificates, issuer)) {
    throw new Error(
      "the signature of the response is neither the issuer's nor an authorised responder's",
    );
  }
  const responses = signed.body.items.find(({ tag }) => tag === tags.sequence)?.items ?? [];
  const single = responses.find((one) => isAbout(one.at(0), certificate, issuer));
  if (!single) throw new Error("the response does not cover the certificate");
  const [, state, thisUpdate, next] = single.items;
  const status = statuses.get(state?.tag ?? 0);
  if (!status || !thisUpdate) throw new Error("the response has no status");
  return {
    status,
    thisUpdate: readTime(thisUpdate),
    nextUpdate: next?.tag === 0xa0 ? readTime(next.at(0)) : null,
  };
}

function isByResponder(
  signed: ReturnType<typeof readSigned>,
  certificates: readonly Der[],
  issuer: X509Certificate,
): boolean {
  if (isSignedBy(signed, issuer.publicKey)) return true;
  return certificates.some((der) => {
    const responder = new X509Certificate(der.bytes);
    const own = readSigned(parseDer(der.bytes));
    const [extensions] = own.body.items.slice(-1);
    const usages = new Extensions(extensions?.at(0) ?? null).get(extendedKeyUsage)?.items ?? [];
    return (
      usages.some(({ oid }) => oid === ocspSigning) &&
      isSignedBy(own, issuer.publicKey) &&
      isSignedBy(signed, responder.publicKey)
    );
  });
}

function isAbout(certId: Der, certificate: X509Certificate, issuer: X509Certificate): boolean {
  const [algorithm, name, key, serial] = certId.items;
  const hashes = hashesOf(certificate, issuer);
  return (
    algorithm?.at(0).oid === sha1 &&
    name?.content.equals(hashes.name) === true &&
    key?.content.equals(hashes.key) === true &&
    serial !== undefined &&
    serialText(serial.content) === serialText(serialOf(certificate))
  );
}

/**
 * The hashes that identify an issuer: of its name as the certificate has it, because its own
 * certificate may encode the name in another way, and of its key without tag and length. Source:
 * RFC 6960 section 4.1.1.
 */
function hashesOf(
  certificate: X509Certificate,
  issuer: X509Certificate,
): { name: Buffer; key: Buffer } {
  const { publicKey } = nameBytesOf(issuer);
  const hash = (bytes: Buffer): Buffer => createHash("sha1").update(bytes).digest();
  return { name: hash(nameBytesOf(certificate).issuer), key: hash(publicKey) };
}

/** The contents of a serial number as an integer, which has a leading zero byte if needed. */
function serialOf({ serialNumber }: X509Certificate): Buffer {
  const bytes = Buffer.from(
    serialNumber.padStart(serialNumber.length + (serialNumber.length % 2), "0"),
    "hex",
  );
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
}

const arrayOf = (bytes: Buffer): ArrayBuffer => new Uint8Array(bytes).buffer;

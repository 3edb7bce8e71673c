import { createHash, X509Certificate } from "node:crypto";
import { hasUnknownCritical, isSignedBy, readSigned, type Signed } from "./chain.ts";
import { Der, membersOf, parseDer, readTime, tags } from "./der.ts";
import { derValue, nothing, octets, oid, sequence } from "./der-writer.ts";
import { serialText } from "./serials.ts";
import { nameBytesOf } from "./tpp-certificate.ts";

/** The status that a responder gives for one certificate. Source: RFC 6960 section 2.2. */
type OcspStatus = {
  status: "good" | "revoked" | "unknown";
  thisUpdate: Temporal.Instant;
  /** Null if newer information is always available. */
  nextUpdate: Temporal.Instant | null;
};

const sha1 = "1.3.14.3.2.26";
const basicResponse = "1.3.6.1.5.5.7.48.1.1";
const ocspSigning = "1.3.6.1.5.5.7.3.9";
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
  const certId = sequence(
    sequence(oid(sha1), nothing),
    octets(name),
    octets(key),
    derValue(tags.integer, serialOf(certificate)),
  );
  // OCSPRequest, TBSRequest, requestList and Request
  return sequence(sequence(sequence(sequence(certId))));
}

/**
 * Reads a response: it must be signed by the issuer, or by a responder to which the issuer gave a
 * certificate for this purpose that is valid now, and be about the certificate. Nothing that the
 * responder states is read before the signature is verified. Throws. Source: RFC 6960 section 3.2.
 */
export function readOcspResponse(
  bytes: Buffer,
  certificate: X509Certificate,
  issuer: X509Certificate,
  now: Temporal.Instant,
): OcspStatus {
  const basic = basicResponseOf(bytes);
  const [body, algorithm, bits, certificates] = membersOf(basic, mostMembers);
  if (!body || !algorithm || !bits) throw new Error("the response is not signed");
  // the first byte is the number of unused bits
  const signature = parseDer(bits).content.subarray(1);
  const signed = { body: { bytes: body }, algorithm: parseDer(algorithm), signature };
  if (!isByResponder(signed, certificates ?? null, issuer, now)) {
    throw new Error(
      "the signature of the response is neither the issuer's nor that of a responder with a valid " +
        "certificate for this purpose",
    );
  }
  const { items } = parseDer(body);
  const responses = items.find(({ tag }) => tag === tags.sequence)?.items ?? [];
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

const mostBytes = 65_536;
// the members of a response and of its signed part, with some to spare
const mostMembers = 16;
const mostCertificates = 5;

/** The signed response in a response. */
function basicResponseOf(bytes: Buffer): Buffer {
  if (bytes.length > mostBytes) throw new Error("the response is larger than 64 kB");
  const [outcome, holder] = membersOf(bytes, mostMembers);
  const code = outcome?.at(-1);
  if (code !== 0 || !holder) throw new Error(`the responder answers with the status ${code}`);
  const [response = Buffer.alloc(0)] = membersOf(holder, mostMembers);
  const [type, content] = membersOf(response, mostMembers);
  if (!type || !content || new Der(type).oid !== basicResponse) {
    throw new Error("the response has an unknown type");
  }
  return new Der(content).content;
}

function isByResponder(
  signed: Signed,
  certificates: Buffer | null,
  issuer: X509Certificate,
  now: Temporal.Instant,
): boolean {
  if (isSignedBy(signed, issuer.publicKey)) return true;
  const [list] = certificates === null ? [] : membersOf(certificates, 1);
  const sent = list === undefined ? [] : membersOf(list, mostCertificates);
  return sent.some((bytes) => {
    const own = readSigned(parseDer(bytes));
    if (!isSignedBy(own, issuer.publicKey)) return false;
    const responder = new X509Certificate(bytes);
    return isAuthorised(responder, now) && isSignedBy(signed, responder.publicKey);
  });
}

// Source: RFC 6960 section 3.2
function isAuthorised(responder: X509Certificate, now: Temporal.Instant): boolean {
  const { validFromDate, validToDate, keyUsage } = responder;
  const time = now.epochMilliseconds;
  const isValid = validFromDate.getTime() <= time && validToDate.getTime() >= time;
  const isForThis = (keyUsage ?? []).includes(ocspSigning);
  return isValid && isForThis && !hasUnknownCritical(responder);
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

import { createPrivateKey, createPublicKey, hash, randomBytes, X509Certificate } from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import { parseDer, tags } from "#src/certificates/der.ts";
import {
  bits,
  derValue,
  integer,
  octets,
  oid,
  primitive,
  sequence,
  smallInteger,
  tagged,
  time,
  utcTime,
} from "#src/certificates/der-writer.ts";
import { algorithmOf, signed } from "./sign.ts";

/** A key pair as PEM text: PKCS #8 and SPKI. */
export type KeyPem = { privateKeyPem: string; publicKeyPem: string };

/** A distinguished name, most significant attribute first. 2.5.4.97 is organizationIdentifier. */
export type Name = { attribute: "C" | "O" | "OU" | "CN" | "2.5.4.97"; value: string }[];

/** The contents of a certificate. */
export type CertificateRequest = {
  subject: Name;
  /** The subject's key: the private or the public key. */
  subjectKeyPem: string;
  issuer: Name;
  /** EC P-256 or RSA. */
  issuerKeyPem: string;
  from: Temporal.Instant;
  to: Temporal.Instant;
  /** `peer` is a server that is also a client of its like. */
  use: "authority" | "server" | "client" | "peer" | "signing";
  /** A server's DNS names and IP addresses. */
  hosts?: string[];
  /** Where the issuer publishes whether the certificate is revoked. */
  status?: { listUrl: string; responderUrl: string };
};

/** Issues an X.509 v3 certificate and returns it as PEM text. Source: RFC 5280 section 4.1. */
export function issueCertificate(request: CertificateRequest): string {
  const key = createPrivateKey(request.issuerKeyPem);
  const body = sequence(
    tagged(0, smallInteger(2)),
    integer(randomBytes(16)),
    algorithmOf(key),
    nameBlock(request.issuer),
    sequence(validityTime(request.from), validityTime(request.to)),
    nameBlock(request.subject),
    spkiOf(request.subjectKeyPem),
    tagged(3, sequence(...extensionsOf(request))),
  );
  return new X509Certificate(signed(body, key)).toString();
}

/** A name in the notation of RFC 4514, for `tls_client_auth_subject_dn`. */
export const nameText = (name: Name): string =>
  [...name]
    .reverse()
    .map(({ attribute, value }) => `${attribute}=${value.replace(/[,+"\\<>;=]/g, "\\$&")}`)
    .join(",");

const attributeIds = {
  C: "2.5.4.6",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  CN: "2.5.4.3",
  "2.5.4.97": "2.5.4.97",
} as const;

const nameBlock = (name: Name): Buffer =>
  sequence(
    ...name.map(({ attribute, value }) => {
      const tag = attribute === "C" ? tags.printableString : tags.utf8String;
      const text = derValue(tag, Buffer.from(value));
      return derValue(tags.set, sequence(oid(attributeIds[attribute]), text));
    }),
  );

// RFC 5280 section 4.1.2.5: from 2050 on, a year has four digits
const validityTime = (at: Temporal.Instant): Buffer =>
  at.toZonedDateTimeISO("UTC").year < 2050 ? utcTime(at) : time(at);

const serverUse = oid("1.3.6.1.5.5.7.3.1");
const clientUse = oid("1.3.6.1.5.5.7.3.2");

/** Key usage: the bits from digitalSignature (0) to cRLSign (6), and the extended usage. */
const usages: Record<CertificateRequest["use"], { bits: number[]; extended?: Buffer[] }> = {
  authority: { bits: [5, 6] },
  server: { bits: [0, 2], extended: [serverUse] },
  client: { bits: [0], extended: [clientUse] },
  peer: { bits: [0, 2], extended: [serverUse, clientUse] },
  signing: { bits: [0, 1] },
};

function extensionsOf({ use, hosts = [], status, ...keys }: CertificateRequest): Buffer[] {
  const isTrue = derValue(tags.boolean, Buffer.of(0xff));
  const extension = (id: string, content: Buffer, ...critical: Buffer[]): Buffer =>
    sequence(oid(id), ...critical, octets(content));
  const uri = (address: string): Buffer => primitive(6, Buffer.from(address));
  const { bits: used, extended } = usages[use];
  const octet = used.reduce((sum, bit) => sum | (0x80 >> bit), 0);
  return [
    extension("2.5.29.19", sequence(...(use === "authority" ? [isTrue] : [])), isTrue),
    extension("2.5.29.15", bits(Buffer.of(octet), 7 - Math.max(...used)), isTrue),
    extension("2.5.29.14", octets(keyIdentifier(keys.subjectKeyPem))),
    extension("2.5.29.35", sequence(primitive(0, keyIdentifier(keys.issuerKeyPem)))),
    ...(extended ? [extension("2.5.29.37", sequence(...extended))] : []),
    ...(status
      ? [
          extension("2.5.29.31", sequence(sequence(tagged(0, tagged(0, uri(status.listUrl)))))),
          extension(
            "1.3.6.1.5.5.7.1.1",
            sequence(sequence(oid("1.3.6.1.5.5.7.48.1"), uri(status.responderUrl))),
          ),
        ]
      : []),
    ...(hosts.length > 0 ? [extension("2.5.29.17", sequence(...hosts.map(hostName)))] : []),
  ];
}

/** A host as it stands among the subject's alternative names. */
const hostName = (host: string): Buffer =>
  isIP(host) ? primitive(7, addressBytes(host)) : primitive(2, Buffer.from(host));

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  // the URL has the last 32 bits in hexadecimal, in brackets
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = plain
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "");
  const groups = [...head, ...zeros, ...tail].map((group) => group.padStart(4, "0"));
  return Buffer.from(groups.join(""), "hex");
}

// RFC 5280 section 4.2.1.2: the SHA-1 hash of the key's bit string, without its tag and length and
// the number of unused bits
const keyIdentifier = (pem: string): Buffer =>
  hash("sha1", parseDer(spkiOf(pem)).at(1).content.subarray(1), "buffer");

const spkiOf = (pem: string): Buffer =>
  createPublicKey(pem).export({ type: "spki", format: "der" });

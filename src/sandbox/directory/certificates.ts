import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import {
  bits,
  der,
  integer,
  octets,
  oid,
  printable,
  sequence,
  set,
  time,
  utf8,
  yes,
} from "./der.ts";

/** A key pair as PEM text: PKCS #8 and SPKI. */
export type KeyPem = { privateKeyPem: string; publicKeyPem: string };

/** A distinguished name, most significant attribute first. */
export type Name = { attribute: keyof typeof attributes; value: string }[];

/** What a certificate says. */
export type CertificateRequest = {
  subject: Name;
  subjectKeyPem: string;
  issuer: Name;
  /** EC P-256 or RSA. */
  issuerKeyPem: string;
  from: Temporal.Instant;
  to: Temporal.Instant;
  use: "authority" | "server" | "client" | "signing";
  /** DNS names and IP addresses of a server. */
  hosts?: string[];
};

const attributes = { C: "2.5.4.6", O: "2.5.4.10", OU: "2.5.4.11", CN: "2.5.4.3" } as const;
const extendedUses = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;
// bits of keyUsage with the number of unused ones. Source: RFC 5280 section 4.2.1.3.
const keyUses = {
  authority: bits(Buffer.from([0x06]), 1), // keyCertSign, cRLSign
  server: bits(Buffer.from([0xa0]), 5), // digitalSignature, keyEncipherment
  client: bits(Buffer.from([0x80]), 7), // digitalSignature
  signing: bits(Buffer.from([0xc0]), 6), // digitalSignature, nonRepudiation
} as const;

/** Issues an X.509 v3 certificate; gives it as PEM text. Source: RFC 5280. */
export function issueCertificate(request: CertificateRequest): string {
  const key = createPrivateKey(request.issuerKeyPem);
  const algorithm =
    key.asymmetricKeyType === "ec"
      ? sequence(oid("1.2.840.10045.4.3.2")) // ecdsa-with-SHA256
      : sequence(oid("1.2.840.113549.1.1.11"), der(0x05)); // sha256WithRSAEncryption
  const spki = spkiOf(request.subjectKeyPem);
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x4a]), randomBytes(15)])),
    algorithm,
    nameOf(request.issuer),
    sequence(time(request.from), time(request.to)),
    nameOf(request.subject),
    spki,
    der(0xa3, sequence(...extensionsOf(request, spki))),
  );
  const signature = sign("sha256", body, key);
  const certificate = sequence(body, algorithm, bits(signature));
  const lines = certificate.toString("base64").replace(/(.{64})(?=.)/g, "$1\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** A name in the form of RFC 4514, as `tls_client_auth_subject_dn` wants it. */
export const nameText = (name: Name): string =>
  [...name]
    .reverse()
    .map(({ attribute, value }) => `${attribute}=${value.replace(/[,+"\\<>;=]/g, "\\$&")}`)
    .join(",");

function nameOf(name: Name): Buffer {
  return sequence(
    ...name.map(({ attribute, value }) =>
      set(sequence(oid(attributes[attribute]), attribute === "C" ? printable(value) : utf8(value))),
    ),
  );
}

function extensionsOf(request: CertificateRequest, spki: Buffer): Buffer[] {
  const { use, hosts = [] } = request;
  const authority = use === "authority";
  const list = [
    extension("2.5.29.19", authority ? sequence(yes()) : sequence(), true),
    extension("2.5.29.15", keyUses[use], true),
    extension("2.5.29.14", octets(keyId(spki))),
    extension("2.5.29.35", sequence(der(0x80, keyId(spkiOf(request.issuerKeyPem))))),
  ];
  if (use === "server" || use === "client") {
    list.push(extension("2.5.29.37", sequence(oid(extendedUses[use]))));
  }
  if (hosts.length > 0) list.push(extension("2.5.29.17", sequence(...hosts.map(alternativeName))));
  return list;
}

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [yes()] : []), octets(value));

function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return der(0x87, Buffer.from(host.split(".").map(Number)));
  if (isIP(host) === 6) return der(0x87, ipv6Bytes(host));
  return der(0x82, Buffer.from(host));
}

function ipv6Bytes(address: string): Buffer {
  const [left = "", right] = address.split("::");
  const head = left === "" ? [] : left.split(":");
  const tail = right ? right.split(":") : [];
  const middle = new Array(8 - head.length - tail.length).fill("0");
  const groups = right === undefined ? head : [...head, ...middle, ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}

const keyId = (spki: Buffer): Buffer => createHash("sha1").update(spki).digest();

const spkiOf = (pem: string): Buffer =>
  createPublicKey(pem).export({ type: "spki", format: "der" });

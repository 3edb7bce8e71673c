import type { X509Certificate } from "node:crypto";
import { sha256 } from "#src/lib/hash.ts";
import { type Der, Extensions, parseDer, tags } from "./der.ts";
import { attributeOf, type DistinguishedName, oids, readName } from "./distinguished-name.ts";

/**
 * A role of a payment service provider, as certificates name it. Source: ETSI TS 119 495 section
 * 5.1.
 */
type PspRole = "PSP_AS" | "PSP_PI" | "PSP_AI" | "PSP_IC";

/** The PSD2 statement of a certificate: the roles, and the authority that granted them. */
type Psd2Statement = {
  roles: readonly PspRole[];
  authorityName: string;
  /** Such as `GB-FCA`. */
  authorityId: string;
};

/** The statements of a certificate under eIDAS-type profiles. */
type QualifiedStatements = {
  /** The use that the certificate states; null if it states none. */
  use: "web" | "seal" | null;
  /** Whether the certificate is qualified. UK equivalents (OBWAC, OBSeal) are not. */
  isQualified: boolean;
  psd2: Psd2Statement | null;
};

/** Identifier of the extension qcStatements. Source: RFC 3739 section 3.2.6. */
const qcStatementsId = "1.3.6.1.5.5.7.1.3";

// Source: ETSI EN 319 412-5 section 4, ETSI TS 119 495 section 5.1.
const compliance = "0.4.0.1862.1.1";
const type = "0.4.0.1862.1.6";
const psd2 = "0.4.0.19495.2";
const uses: Readonly<Record<string, "web" | "seal">> = {
  "0.4.0.1862.1.6.2": "seal",
  "0.4.0.1862.1.6.3": "web",
};
const roles: Readonly<Record<string, PspRole>> = {
  "0.4.0.19495.1.1": "PSP_AS",
  "0.4.0.19495.1.2": "PSP_PI",
  "0.4.0.19495.1.3": "PSP_AI",
  "0.4.0.19495.1.4": "PSP_IC",
};

/** Reads the extension qcStatements. Returns null if there is none. Throws if it is malformed. */
function readStatements(extension: Der | null): QualifiedStatements {
  const statements = new Map<string, Der | undefined>();
  for (const { items } of extension?.items ?? []) {
    const id = items[0]?.oid;
    if (id) statements.set(id, items[1]);
  }
  const stated = (statements.get(type)?.items ?? []).map(({ oid }) => uses[oid ?? ""]);
  const roleStatement = statements.get(psd2);
  return {
    use: stated.find((use) => use !== undefined) ?? null,
    isQualified: statements.has(compliance),
    psd2: roleStatement ? readPsd2(roleStatement) : null,
  };
}

// each role is its identifier and its name; the identifier decides
function readPsd2(statement: Der): Psd2Statement {
  return {
    roles: statement
      .at(0)
      .items.map((role) => roles[role.at(0).oid ?? ""])
      .filter((role) => role !== undefined),
    authorityName: statement.at(1).text ?? "",
    authorityId: statement.at(2).text ?? "",
  };
}

/**
 * The kind of a TPP's certificate. QWAC and QSealC are qualified under eIDAS; OBWAC and OBSeal are
 * their UK equivalents; the others are the older form of the UK directory.
 */
type CertificateType = "QWAC" | "OBWAC" | "QSealC" | "OBSeal" | "OBTransport" | "OBSigning";

/** The facts of a TPP's certificate. */
export type TppCertificate = {
  type: CertificateType;
  /** The attributes of the subject, in the order of the certificate. */
  subject: DistinguishedName;
  issuer: DistinguishedName;
  /** The value of organizationIdentifier, such as `PSDGB-FCA-123456`; null in the older form. */
  organizationIdentifier: string | null;
  /** The parts of an organizationIdentifier in the notation for PSD2; null in any other. */
  registration: { country: string; authority: string; id: string } | null;
  /** The directory's id of the organisation: OU in the older form, otherwise CN. */
  organisationId: string | null;
  /**
   * The directory's id of the software: CN in the older form; null in the others, which do not name
   * the software.
   */
  softwareId: string | null;
  /** The PSD2 statement; null if there is none. */
  psd2: Psd2Statement | null;
  /** Identifiers of the extended key usages. */
  usages: readonly string[];
  /** Upper-case hexadecimal. */
  serial: string;
  /** SHA-256 of the certificate, base64url. */
  thumbprint: string;
  notBefore: Temporal.Instant;
  notAfter: Temporal.Instant;
};

// Source: RFC 5280 section 4.2.1.12.
const extendedKeyUsageId = "2.5.29.37";
const clientAuthentication = "1.3.6.1.5.5.7.3.2";

/** The tags of the optional members of a TBSCertificate. Source: RFC 5280 section 4.1. */
const versionTag = 0xa0;
const extensionsTag = 0xa3;

const known = new WeakMap<X509Certificate, TppCertificate>();

/** Reads the facts of a certificate. Throws if a part of it is malformed. Source: R-080. */
export function readTppCertificate(certificate: X509Certificate): TppCertificate {
  let facts = known.get(certificate);
  if (facts === undefined) {
    facts = read(certificate);
    known.set(certificate, facts);
  }
  return facts;
}

function read(certificate: X509Certificate): TppCertificate {
  const { issuer, subject, extensions } = partsOf(certificate.raw);
  const statements = readStatements(extensions.get(qcStatementsId));
  const usages = (extensions.get(extendedKeyUsageId)?.items ?? []).map(({ oid }) => oid ?? "");
  const organizationIdentifier = attributeOf(subject, oids.organizationIdentifier);
  const commonName = attributeOf(subject, oids.commonName);
  const isOlder = organizationIdentifier === null;
  return {
    type: typeOf(statements, usages),
    subject,
    issuer,
    organizationIdentifier,
    registration: registrationOf(organizationIdentifier),
    organisationId: isOlder ? attributeOf(subject, oids.organizationalUnit) : commonName,
    softwareId: isOlder ? commonName : null,
    psd2: statements.psd2,
    usages,
    serial: certificate.serialNumber,
    thumbprint: sha256(certificate.raw),
    notBefore: certificate.validFromDate.toTemporalInstant(),
    notAfter: certificate.validToDate.toTemporalInstant(),
  };
}

/** The parts of a certificate that Node does not decode. Source: RFC 5280 section 4.1. */
export function partsOf(raw: Buffer): {
  issuer: DistinguishedName;
  subject: DistinguishedName;
  encodedIssuer: Der;
  encodedSubject: Der;
  extensions: Extensions;
} {
  const [tbs] = parseDer(raw).items;
  const members = (tbs?.items ?? []).filter(({ tag }) => tag !== versionTag);
  const [, , issuer, , subject] = members;
  if (issuer?.tag !== tags.sequence || subject?.tag !== tags.sequence) {
    throw new Error("the certificate has no issuer or no subject");
  }
  const extensions = members.find(({ tag }) => tag === extensionsTag)?.at(0) ?? null;
  return {
    issuer: readName(issuer),
    subject: readName(subject),
    encodedIssuer: issuer,
    encodedSubject: subject,
    extensions: new Extensions(extensions),
  };
}

/** The encoded issuer and subject of a certificate, and the bits of its public key. */
export function nameBytesOf({ raw }: X509Certificate): {
  issuer: Buffer;
  subject: Buffer;
  publicKey: Buffer;
} {
  const members = parseDer(raw)
    .at(0)
    .items.filter(({ tag }) => tag !== versionTag);
  const [, , issuer, , subject, key] = members;
  if (!issuer || !subject || !key) throw new Error("the certificate has no subject or no key");
  // the first byte of a bit string is the number of its unused bits
  const publicKey = key.at(1).content.subarray(1);
  return { issuer: issuer.bytes, subject: subject.bytes, publicKey };
}

function typeOf(
  { use, isQualified }: ReturnType<typeof readStatements>,
  usages: readonly string[],
): CertificateType {
  if (use === "web") return isQualified ? "QWAC" : "OBWAC";
  if (use === "seal") return isQualified ? "QSealC" : "OBSeal";
  return usages.includes(clientAuthentication) ? "OBTransport" : "OBSigning";
}

// Source: ETSI TS 119 495 section 5.2.1.
function registrationOf(identifier: string | null): TppCertificate["registration"] {
  const parts = /^PSD([A-Z]{2})-([A-Z]{2,8})-(.+)$/.exec(identifier ?? "");
  if (!parts) return null;
  const [, country = "", authority = "", id = ""] = parts;
  return { country, authority, id };
}

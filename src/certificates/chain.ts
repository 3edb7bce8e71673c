import {
  constants,
  type KeyObject,
  type VerifyKeyObjectInput,
  verify,
  type X509Certificate,
} from "node:crypto";
import { promisify } from "node:util";
import { type Der, parseDer, tags } from "./der.ts";
import { isNameBelow, isSameName, oids } from "./distinguished-name.ts";
import { partsOf } from "./tpp-certificate.ts";

// Algorithms of signatures on certificates, lists and responses. MD5 and SHA-1 are absent: they are
// refused. Source: RFC 4055 sections 3 and 5, RFC 5758 section 3, RFC 8410 section 3.
const hashes: Readonly<Record<string, string>> = {
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
};
const pss = "1.2.840.113549.1.1.10";
const pssHashes: Readonly<Record<string, string>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
const edwards = "1.3.101.112";

const minimumRsaBits = 2048;

/**
 * A signed structure: the signed bytes, the algorithm and the signature. Source: RFC 5280 section
 * 4.1.1.
 */
export type Signed = { body: Pick<Der, "bytes">; algorithm: Der; signature: Buffer };

/** Reads a signed structure: body, algorithm and bit string. Throws. */
export function readSigned(value: Der): Signed & { body: Der } {
  const signature = value.at(2);
  if (signature.tag !== tags.bitString) throw new Error("there is no signature");
  return {
    body: value.at(0),
    algorithm: value.at(1),
    signature: signature.content.subarray(1), // the first byte is the number of unused bits
  };
}

/** Returns why an algorithm or a key is too weak; null if it is not. Source: R-094. */
function weaknessOf(algorithm: Der, key: KeyObject): string | null {
  if (hashOf(algorithm) === undefined) return "WEAK_OR_UNKNOWN_SIGNATURE_ALGORITHM";
  const bits = key.asymmetricKeyDetails?.modulusLength;
  return bits !== undefined && bits < minimumRsaBits ? "RSA_KEY_UNDER_2048_BITS" : null;
}

/** Whether a signature was made by a key, with an algorithm that is not weak. */
export function isSignedBy(signed: Signed, key: KeyObject): boolean {
  if (weaknessOf(signed.algorithm, key) !== null) return false;
  try {
    return verify(...argumentsOf(signed, key));
  } catch {
    return false; // the key is of another type than the algorithm
  }
}

/** Like `isSignedBy`, on a thread: a signed structure of many megabytes takes long to hash. */
export const isLongSignedBy = async (signed: Signed, key: KeyObject): Promise<boolean> =>
  weaknessOf(signed.algorithm, key) === null &&
  verifyOnThread(...argumentsOf(signed, key)).catch(() => false);

type VerifyArguments = [
  hash: string | null | undefined,
  data: Buffer,
  key: VerifyKeyObjectInput,
  signature: Buffer,
];

const verifyOnThread = promisify<VerifyArguments[0], Buffer, VerifyKeyObjectInput, Buffer, boolean>(
  verify,
);

function argumentsOf({ body, algorithm, signature }: Signed, key: KeyObject): VerifyArguments {
  const pssOptions = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_AUTO,
  };
  const isPss = algorithm.at(0).oid === pss;
  return [hashOf(algorithm), body.bytes, { key, ...(isPss ? pssOptions : {}) }, signature];
}

// undefined: the algorithm is not accepted; null: the algorithm does its own hashing
function hashOf(algorithm: Der): string | null | undefined {
  const oid = algorithm.at(0).oid ?? "";
  if (oid === edwards) return null;
  // without parameters, the hash of PSS would be SHA-1
  if (oid === pss) return pssHashes[pssHashId(algorithm) ?? ""];
  return hashes[oid];
}

const pssHashId = (algorithm: Der): string | null =>
  algorithm.items[1]?.tagged(0xa0)?.at(0).at(0).oid ?? null;

// The names that an authority may certify, as OpenSSL evaluates them. Source: RFC 5280 section
// 4.2.1.10.

const nameConstraints = "2.5.29.30";
const subjectAlternativeName = "2.5.29.17";

/** The tags of a GeneralName. Source: RFC 5280 section 4.2.1.6. */
const kinds = { email: 0x81, dns: 0x82, directory: 0xa4, uri: 0x86, address: 0x87 } as const;

/** A name of a certificate. `directory` is null unless the name is a distinguished name. */
type Name = { tag: number; content: Buffer; directory: Der | null };

const generalName = (value: Der): Name => ({
  tag: value.tag,
  content: value.content,
  directory: value.tag === kinds.directory ? value.at(0) : null,
});

/**
 * Returns how a certificate violates the name constraints of an authority above it, in OpenSSL's
 * words; null if it does not. Throws if an extension is malformed.
 */
function constraintProblem(
  certificate: X509Certificate,
  authority: X509Certificate,
  isLeaf: boolean,
): string | null {
  const constraints = partsOf(authority.raw).extensions.get(nameConstraints);
  if (constraints === null) return null;
  const permitted = constraints.tagged(0xa0)?.items ?? [];
  const excluded = constraints.tagged(0xa1)?.items ?? [];
  // since RFC 5280, a subtree has only a base
  if ([...permitted, ...excluded].some(({ items }) => items.length > 1)) return "SUBTREE_MINMAX";
  for (const name of namesOf(certificate, isLeaf)) {
    const basesOf = (subtrees: readonly Der[]): Name[] =>
      subtrees.map((one) => generalName(one.at(0))).filter(({ tag }) => tag === name.tag);
    const [inside, outside] = [basesOf(permitted), basesOf(excluded)];
    if (inside.length + outside.length === 0) continue;
    const isWithin = matchers.get(name.tag);
    if (isWithin === undefined) return "UNSUPPORTED_CONSTRAINT_TYPE";
    if (inside.length > 0 && !inside.some((base) => isWithin(name, base))) {
      return "PERMITTED_VIOLATION";
    }
    if (outside.some((base) => isWithin(name, base))) return "EXCLUDED_VIOLATION";
  }
  return null;
}

const emailAddress = "1.2.840.113549.1.9.1";

/** The names to which constraints apply. A client's CN counts as a host if it looks like one. */
function namesOf({ raw }: X509Certificate, isLeaf: boolean): Name[] {
  const { encodedSubject, subject, extensions } = partsOf(raw);
  const named = (tag: number, value: string): Name => ({
    tag,
    content: Buffer.from(value, "latin1"),
    directory: null,
  });
  const valuesOf = (wanted: string): string[] =>
    subject.filter(({ type }) => type === wanted).map(({ value }) => value);
  const alternatives = (extensions.get(subjectAlternativeName)?.items ?? []).map(generalName);
  const hasHost = alternatives.some(({ tag }) => tag === kinds.dns);
  const hosts = isLeaf && !hasHost ? valuesOf(oids.commonName).filter(isHost) : [];
  return [
    ...(subject.length > 0
      ? [{ tag: kinds.directory, content: encodedSubject.bytes, directory: encodedSubject }]
      : []),
    ...valuesOf(emailAddress).map((value) => named(kinds.email, value)),
    ...hosts.map((value) => named(kinds.dns, value)),
    ...alternatives,
  ];
}

const isHost = (text: string): boolean =>
  text.includes(".") && text.split(".").every((label) => /^[\w-]+$/.test(label));

const textOf = ({ content }: Name): string => content.toString("latin1").toLowerCase();

const isBelow = (host: string, base: string): boolean =>
  base.startsWith(".") ? host.endsWith(base) : host === base;

const matchers = new Map<number, (name: Name, base: Name) => boolean>([
  [
    kinds.directory,
    ({ directory }, base) =>
      directory !== null && base.directory !== null && isNameBelow(directory, base.directory),
  ],
  [
    kinds.dns,
    (name, base) => {
      const [host, above] = [textOf(name), textOf(base)];
      return above === "" || host === above || host.endsWith(`.${above.replace(/^\./, "")}`);
    },
  ],
  [
    kinds.email,
    (name, base) => {
      const [address, above] = [textOf(name), textOf(base)];
      const host = address.slice(address.lastIndexOf("@") + 1);
      return above.includes("@") ? address === above : isBelow(host, above);
    },
  ],
  [kinds.uri, (name, base) => isBelow(hostOf(textOf(name)), textOf(base))],
  [
    kinds.address,
    ({ content: address }, { content: base }) =>
      base.length === 2 * address.length &&
      address.every((byte, at) => {
        const mask = base[address.length + at] ?? 0;
        return (byte & mask) === ((base[at] ?? 0) & mask);
      }),
  ],
]);

const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).hostname : "");

const keyUsageId = "2.5.29.15";
// the bits digitalSignature and keyAgreement
const handshake = 0x80 | 0x08;

/**
 * Whether the key of a certificate may be used in a TLS handshake, by the rule that OpenSSL has for
 * clients. Throws if the certificate is malformed. Source: RFC 5280 section 4.2.1.3.
 */
export function maySign({ raw }: X509Certificate): boolean {
  const usage = partsOf(raw).extensions.get(keyUsageId);
  if (usage === null) return true;
  const [, bits = 0] = usage.content; // the first byte is the number of unused bits
  return (bits & handshake) !== 0;
}

// key usages, names, constraints, policies and lists, as far as OpenSSL understands them
const understood = new Set([
  ...["2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.30", "2.5.29.31", "2.5.29.32"],
  ...["2.5.29.33", "2.5.29.36", "2.5.29.37", "2.5.29.54"],
]);

/**
 * Whether a certificate has a critical extension that is not understood, and must therefore be
 * refused. Source: RFC 5280 section 4.2.
 */
export const hasUnknownCritical = ({ raw }: X509Certificate): boolean =>
  partsOf(raw).extensions.critical.some((id) => !understood.has(id));

// What OpenSSL checks of a chain in a handshake, besides signatures and dates. The chain in a
// proxy's header has not been in a handshake, and OpenSSL checks a chain that ends at an issuing
// authority only in part, so these rules are checked for every chain.

const basicConstraints = "2.5.29.19";
// Source: RFC 5280 section 4.2.1.12.
const clientAuthentication = "1.3.6.1.5.5.7.3.2";

/**
 * Returns which rule a verified chain breaks, in OpenSSL's words; null if it keeps all: critical
 * extensions, the purpose of issuers, the length of the path, and name constraints. Throws if an
 * extension is malformed. Source: RFC 5280 section 6.
 */
function pathProblem(chain: readonly X509Certificate[]): string | null {
  const [leaf, ...issuers] = chain;
  if (chain.some(hasUnknownCritical)) return "UNHANDLED_CRITICAL_EXTENSION";
  const isForClients = ({ keyUsage }: X509Certificate): boolean =>
    keyUsage === undefined || keyUsage.includes(clientAuthentication);
  if (!issuers.every(isForClients)) return "INVALID_PURPOSE";
  let authoritiesBelow = 0;
  const below: X509Certificate[] = leaf ? [leaf] : [];
  for (const issuer of issuers) {
    const most = pathLengthOf(issuer);
    if (most !== null && authoritiesBelow > most) return "PATH_LENGTH_EXCEEDED";
    for (const certificate of below) {
      const problem = constraintProblem(certificate, issuer, certificate === leaf);
      if (problem !== null) return problem;
    }
    // an authority's certificate for its own next key counts for neither rule
    if (isSelfIssued(issuer)) continue;
    authoritiesBelow += 1;
    below.push(issuer);
  }
  return null;
}

/** The number of authorities that may be between an authority and a client; null for any. */
function pathLengthOf({ raw }: X509Certificate): number | null {
  const length: Der | undefined = partsOf(raw)
    .extensions.get(basicConstraints)
    ?.items.find(({ tag }) => tag === tags.integer);
  if (length === undefined) return null;
  const [first = 0] = length.content;
  return length.content.length === 1 && first < 0x80 ? first : 0;
}

function isSelfIssued({ raw }: X509Certificate): boolean {
  const { encodedIssuer, encodedSubject } = partsOf(raw);
  return isSameName(encodedIssuer, encodedSubject);
}

/** A certificate with the certificates of its issuers, up to a trust anchor, which is last. */
export type Chain = readonly X509Certificate[];

/** A verified chain, or why verification failed, in OpenSSL's words if OpenSSL found the fault. */
export type Built = { chain: Chain; problem: null } | { chain: null; problem: string };

const longest = 6;

/**
 * Builds the chain of a certificate from the anchors and from the certificates that were sent with
 * it. An anchor is a root or an issuing authority, so TPPs need not send intermediates. Every
 * certificate must be valid at this time, and signed by an authority with an algorithm and a key
 * that are not weak. The chain must keep the rules of `pathProblem`. Source, RFC 5280
 * section 6.
 */
export function buildChain(
  leaf: X509Certificate,
  anchors: Chain,
  sent: Chain,
  now: Temporal.Instant,
): Built {
  const chain = [leaf];
  const isAnchor = (one: X509Certificate): boolean =>
    anchors.some((anchor) => anchor.raw.equals(one.raw));
  for (let last = leaf; chain.length <= longest; ) {
    const problem = problemOf(last, now);
    if (problem !== null) return { chain: null, problem };
    if (isAnchor(last) && last !== leaf && last.checkIssued(last)) return checked(chain);
    const candidates = [...anchors, ...sent].filter(
      (one) => one.ca && !chain.includes(one) && last.checkIssued(one),
    );
    const issuer = candidates.find((one) => isIssuedBy(last, one));
    if (issuer === undefined) {
      if (isAnchor(last) && last !== leaf) return checked(chain);
      const [candidate] = candidates;
      return { chain: null, problem: candidate ? weakOr(last, candidate) : "ISSUER_UNKNOWN" };
    }
    chain.push(issuer);
    last = issuer;
  }
  return { chain: null, problem: "CERT_CHAIN_TOO_LONG" };
}

function checked(chain: Chain): Built {
  const problem = pathProblem(chain);
  return problem === null ? { chain, problem } : { chain: null, problem };
}

function problemOf(certificate: X509Certificate, now: Temporal.Instant): string | null {
  const time = now.epochMilliseconds;
  if (certificate.validToDate.getTime() < time) return "CERT_HAS_EXPIRED";
  return certificate.validFromDate.getTime() > time ? "CERT_NOT_YET_VALID" : null;
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  isSignedBy(readSigned(parseDer(certificate.raw)), issuer.publicKey);

function weakOr(certificate: X509Certificate, issuer: X509Certificate): string {
  const { algorithm } = readSigned(parseDer(certificate.raw));
  return weaknessOf(algorithm, issuer.publicKey) ?? "CERT_SIGNATURE_FAILURE";
}

/** Returns why a client's own key is too weak; null if it is not. Source: R-094. */
export function weakKey({ publicKey, raw }: X509Certificate): string | null {
  return weaknessOf(readSigned(parseDer(raw)).algorithm, publicKey);
}

import { X509Certificate } from "node:crypto";
import {
  attributeOf,
  type DistinguishedName,
  firstDifference,
  isRegisteredName,
  oids,
  parseName,
} from "#src/certificates/distinguished-name.ts";
import { readTppCertificate } from "#src/certificates/tpp-certificate.ts";
import type { Claims } from "./claims.ts";
import type { RegistrationSettings } from "./registration-settings.ts";
import type { SoftwareStatement } from "./statement.ts";

/** A request whose signature has been verified, and the facts that it is checked against. */
export type RequestContext = {
  claims: Claims;
  statement: SoftwareStatement;
  settings: RegistrationSettings;
  /** The machine's time in seconds. */
  now: number;
  /** The subject of the client certificate; null to leave out the checks that need it. */
  subject: PresentedSubject | null;
  /** The client that the request changes; null for a new one. */
  clientId: string | null;
};

/** The subject of a client certificate. */
export type PresentedSubject = {
  name: DistinguishedName;
  /** The name in the notation of RFC 4514. */
  text: string;
};

/** The subject of a certificate. Throws if the certificate is malformed. */
export function subjectOf(certificate: X509Certificate): PresentedSubject {
  const name = readTppCertificate(certificate).subject;
  return { name, text: textOf(name) };
}

/** The subject of a certificate in PEM; null if the certificate cannot be read. */
export function subjectOfPem(pem: string): PresentedSubject | null {
  try {
    return subjectOf(new X509Certificate(pem));
  } catch {
    return null;
  }
}

const shortNames = new Map<string, string>([
  [oids.commonName, "CN"],
  [oids.country, "C"],
  [oids.organization, "O"],
  [oids.organizationalUnit, "OU"],
]);

/** A name in the notation of RFC 4514: the last attribute first. */
const textOf = (name: DistinguishedName): string =>
  [...name]
    .reverse()
    .map(({ type, value }) => `${shortNames.get(type) ?? type}=${escaped(value)}`)
    .join(",");

/** A value of a name, escaped for the notation of RFC 4514. */
const escaped = (value: string): string =>
  value
    .replace(/[,+"\\<>;=]|^[ #]| $/g, "\\$&")
    .replace(/\p{Cc}/gu, (one) => `\\${one.charCodeAt(0).toString(16).padStart(2, "0")}`);

/**
 * Returns the attributes of a name that match the software or organisation of a statement, in the
 * notation of RFC 4514; null if the name does not belong to them. The name comes from a certificate
 * or a request. A legacy certificate names both, others name the organisation. Source: R-087.
 */
export function identityIn(
  name: DistinguishedName,
  { softwareId, organisationId, authority }: SoftwareStatement,
): string | null {
  const legacy = `CN=${softwareId},OU=${organisationId}`;
  if (firstDifference(name, legacy) === null) return legacy;
  const identifier = attributeOf(name, oids.organizationIdentifier);
  const named =
    identifier === null ? [] : [`${oids.organizationIdentifier}=${escaped(identifier)}`];
  const byId = `CN=${organisationId}`;
  if (firstDifference(name, byId) === null) return [byId, ...named].join(",");
  const { registrationId } = authority;
  if (identifier === null || registrationId === null) return null;
  return identifier.endsWith(`-${registrationId}`) ? named.join("") : null;
}

/** What `tls_client_auth_subject_dn` must be; null if it is right. Source: …R-085. */
export function subjectFault(value: unknown, context: RequestContext): string | null {
  const { settings, subject, clientId } = context;
  const { longestSubject: most } = settings;
  if (typeof value !== "string" || value === "") {
    return "be the subject of the client certificate, because the client authenticates by it";
  }
  if (value.length > most) return `have at most ${most} characters`;
  const name = value.includes("\n") ? null : parseName(value);
  if (name === null) {
    return "be one line in the notation of RFC 4514 without multi-valued parts (+)";
  }
  if (subject === null || isRegisteredName(subject.name, value)) return null;
  if (nextIdentity(value, context) !== null) return null;
  const orNext = clientId === null ? "" : ", or the subject of the client's next one";
  return `name the subject of the client certificate, ${subject.text}${orNext}`;
}

/**
 * If a change of the registration names the client's next certificate, returns the attributes of
 * this certificate that match the organisation of the statement; otherwise null. A client of either
 * authentication method can name it. Source.
 */
export function nextIdentity(
  named: unknown,
  given: Pick<RequestContext, "subject" | "statement" | "clientId" | "settings">,
): string | null {
  const { subject, statement, clientId, settings } = given;
  if (clientId === null || subject === null || typeof named !== "string") return null;
  if (named.length > settings.longestSubject) return null;
  const name = parseName(named);
  if (name === null || isRegisteredName(subject.name, named)) return null;
  return identityIn(name, statement);
}

import {
  attributeValues,
  firstDifference,
  hasMultiValuedRdn,
  isSameName,
} from "#src/http/signature/distinguished-name.ts";
import type { RequestContext } from "./request-context.ts";
import type { Statement } from "./statement.ts";

const identifier = "organizationIdentifier";

/**
 * Returns the attributes by which a name, of a certificate or of a request, belongs to the software
 * or organisation of a statement, in the notation of RFC 4514; null if it does not belong to it. A
 * legacy certificate names both, others name the organisation. Source: R-087.
 */
export function identityIn(
  name: string,
  { softwareId, organisationId, authority }: Statement,
): string | null {
  const legacy = `CN=${softwareId},OU=${organisationId}`;
  if (firstDifference(name, legacy) === null) return legacy;
  const [identifiedAs] = attributeValues(name, identifier) ?? [];
  const named = identifiedAs === undefined ? "" : `,${identifier}=${escaped(identifiedAs)}`;
  if (firstDifference(name, `CN=${organisationId}`) === null) return `CN=${organisationId}${named}`;
  const { registrationId } = authority;
  if (identifiedAs === undefined || registrationId === null) return null;
  return identifiedAs.endsWith(`-${registrationId}`) ? named.slice(1) : null;
}

const escaped = (value: string): string =>
  value.replace(/[,+"\\<>;=#\n]/g, (one) => (one === "\n" ? "\\0A" : `\\${one}`));

const longestName = { "3.2": 128, "3.3": 128, "3.4": 512 } as const;
const pattern34 = /^CN=[^,]+(,[A-Za-z0-9.]+=[^,]+)*$/;

/** What `tls_client_auth_subject_dn` must be; null if it is right. Source: …R-085. */
export function subjectFault(value: unknown, context: RequestContext): string | null {
  const { settings, certificateSubject, statement, clientId } = context;
  const most = longestName[settings.version];
  if (typeof value !== "string" || value === "") {
    return "be the subject of the client certificate, because the client authenticates by it";
  }
  if (value.length > most) return `have at most ${most} characters`;
  if (value.includes("\n") || hasMultiValuedRdn(value)) {
    return "be one line in the notation of RFC 4514 without multi-valued parts (+)";
  }
  if (settings.isStrict && settings.version === "3.4" && !pattern34.test(value)) {
    return "begin with CN= and have its attributes joined by commas without spaces";
  }
  if (certificateSubject === null || isSameName(certificateSubject, value)) return null;
  // a client that changes its registration may name its next certificate
  if (clientId !== null && identityIn(value, statement) !== null) return null;
  const presented = certificateSubject.replaceAll("\n", ", ");
  return `name the subject of the client certificate, ${presented}`;
}

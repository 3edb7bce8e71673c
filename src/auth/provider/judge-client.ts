import type { IncomingMessage } from "node:http";
import type { ClientMetadata, KoaContextWithOIDC } from "oidc-provider";
import { type DistinguishedName, firstDifference } from "#src/certificates/distinguished-name.ts";
import type { SecurityProfile } from "#src/clients/security-profile.ts";
import type { JudgedCertificate } from "#src/http/connection/client-certificate.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { issuedLater } from "./issue-time.ts";
import { instantText, type Jwt } from "./jwt-facts.ts";
import { errors } from "./library.ts";
import { because } from "./refused.ts";

/** The dependencies of the check of a client. */
export type ClientRules = {
  /** The client certificate of a connection, or the reason that there is no usable one. */
  judgedCertificateOf(request: IncomingMessage): JudgedCertificate;
  /** Whether a client without bound tokens is served; never in production. */
  mayBeUnbound(request: IncomingMessage): boolean;
};

/** The part of a client's metadata that identifies its certificates. */
export const certificateSubjectKey = "certificate_subject";

// the routes where a client asks about its own tokens or ends them
const tokenRoutes: ReadonlySet<string> = new Set(["introspection", "revocation"]);

/**
 * Checks the connection of a client that is authenticating, by any method. A certificate, if there
 * is one, must be for client authentication and name the client's organisation and software. Tokens
 * must be bound to it unless this sandbox allows otherwise. Throws.
 */
export function judgeConnection(
  rules: ClientRules,
  ctx: KoaContextWithOIDC,
  metadata: ClientMetadata,
): void {
  const { facts, fault } = rules.judgedCertificateOf(ctx.req);
  const isBound = metadata.tls_client_certificate_bound_access_tokens === true;
  // the library refuses a missing certificate only where it binds a token
  const isNeeded = isBound && tokenRoutes.has(ctx.oidc.route);
  if (fault !== null && (isNeeded || fault.reason !== "certificateMissing")) {
    throw new errors.InvalidClientAuth(because(fault.reason, fault.facts));
  }
  if (facts !== null) judgeSubject(facts.subject, metadata[certificateSubjectKey]);
  if (!isBound && !rules.mayBeUnbound(ctx.req)) {
    throw new errors.InvalidClientAuth(because("unboundClient"));
  }
}

function judgeSubject(subject: DistinguishedName, wanted: unknown): void {
  if (typeof wanted !== "string") {
    throw new errors.InvalidClientAuth(because("certificateSubjectUnregistered"));
  }
  const difference = firstDifference(subject, wanted);
  if (difference === null) return;
  const { attribute, expected, found } = difference;
  const quoted = { attribute, expected, found: found ?? "absent" };
  throw new errors.InvalidClientAuth(because("certificateSubject", quoted));
}

/**
 * Checks the form of a client assertion's `aud`, whose values the library has checked. Throws.
 * Source: FAPI 2.0 Security Profile section 5.3.2.1.
 */
export function judgeAssertionAudience(
  { isAudienceOneText, title }: SecurityProfile,
  { aud }: Jwt["claims"],
): void {
  if (!isAudienceOneText || typeof aud === "string") return;
  const facts = { aud: textOf(aud), profile: title };
  throw new errors.InvalidClientAuth(because("jwtAudienceList", facts));
}

// The same limit as for a Request Object in FAPI; the directory's test tool uses half an hour.
const assertionMinutes = 60;

/**
 * Checks the times of a client assertion, which the library has verified. The row that prevents its
 * reuse is stored as long as the assertion is valid. Throws. Source: RFC 7523 section 3.
 */
export function judgeAssertionTimes(claims: Jwt["claims"], nowSeconds: number): void {
  const { exp } = claims;
  const jwt = "client assertion";
  if (!Number.isFinite(exp) || Number(exp) > nowSeconds + assertionMinutes * 60) {
    const now = instantText(nowSeconds);
    const facts = { jwt, exp: instantText(exp), limit: String(assertionMinutes), now };
    throw new errors.InvalidClientAuth(because("jwtTooLong", facts));
  }
  const later = issuedLater(jwt, claims, nowSeconds);
  if (later) throw new errors.InvalidClientAuth(later);
}

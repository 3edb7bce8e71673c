import { type JWTPayload, jwtVerify } from "jose";
import { NoAnswerError, VerificationError } from "./errors.ts";
import type { Session } from "./session.ts";
import { checkClaims, knownCrit } from "./signature.ts";

/** An event of the bank. The same event can come twice: remember `id`. */
export type BankEvent = {
  /** `jti` of the token. */
  id: string;
  /** The URNs of its types, such as `urn:uk:org:openbanking:events:resource-update`. */
  types: string[];
  /** What has changed; null if the event names no resource. */
  resource: { type: string; id: string; links: { version: string; link: string }[] } | null;
  /** When it happened. */
  occurredAt: Date | null;
  /** All claims of the token. */
  claims: JWTPayload;
};

const resourceType = "http://openbanking.org.uk/rty";
const resourceId = "http://openbanking.org.uk/rid";
const resourceLinks = "http://openbanking.org.uk/rlk";

/**
 * Verifies an event's token. Throws VerificationError if it is not the bank's, or not for you, and
 * NoAnswerError if the bank's keys cannot be fetched now.
 */
export async function openEvent(session: Session, token: string): Promise<BankEvent> {
  const { server, options, expectation } = session;
  let claims: JWTPayload;
  try {
    const opened = await jwtVerify(token.trim(), expectation.keys, {
      algorithms: ["PS256"],
      crit: knownCrit,
      issuer: server.metadata.issuer,
      audience: options.client.id,
      currentDate: session.now(),
    });
    checkClaims(opened.protectedHeader, expectation);
    claims = opened.payload;
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    throw new VerificationError(
      `The event is not valid: ${(error as Error).message}.`,
      null,
      error,
    );
  }
  const events = (claims.events ?? {}) as Record<string, { subject?: Record<string, unknown> }>;
  const subject = Object.values(events).find((one) => one?.subject !== undefined)?.subject;
  return {
    id: String(claims.jti),
    types: Object.keys(events),
    resource: subject ? resourceOf(subject) : null,
    occurredAt: typeof claims.toe === "number" ? new Date(claims.toe * 1000) : null,
    claims,
  };
}

const resourceOf = (subject: Record<string, unknown>): BankEvent["resource"] => ({
  type: String(subject[resourceType]),
  id: String(subject[resourceId]),
  links: (subject[resourceLinks] ?? []) as { version: string; link: string }[],
});

import { instantText } from "./jwt-facts.ts";
import { errors, Provider } from "./library.ts";
import type { StoredArtifact } from "./read-ahead.ts";
import { because } from "./refused.ts";

/**
 * Throws if a code has expired: by the bank's clock, or by the machine's, which the library uses.
 * So a used code that is sent again ends its grant only while it would still be valid: later, a
 * page that a browser opens again could end access for months. The code of another client is
 * refused as one that does not exist. Source: RFC 6749 section 4.1.2.
 */
export function judgeTime({ payload, expiresAt }: StoredArtifact, bankNow: Temporal.Instant): void {
  const bankEnd = expiresAt === null ? null : expiresAt.epochMilliseconds / 1000;
  const clocks = [
    { name: "bank", end: bankEnd, now: bankNow.epochMilliseconds / 1000 },
    { name: "server", end: payload.exp ?? null, now: Date.now() / 1000 },
  ];
  const over = clocks.find(({ end, now }) => end !== null && end <= now);
  if (!over) return;
  const isOwn = payload.clientId === Provider.ctx?.oidc?.client?.clientId;
  const time = `the ${over.name}'s time is ${instantText(over.now)}`;
  const expired = because("codeExpired", { exp: instantText(over.end), detail: time });
  throw Object.assign(
    new errors.InvalidGrant("authorization code not found"),
    isOwn ? expired : because("codeUnknown"),
  );
}

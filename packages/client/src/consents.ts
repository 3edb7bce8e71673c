import type { Grant } from "./options.ts";
import type { Scope } from "./scope.ts";
import type { Version } from "./versions.ts";

/** A consent that you have created: plain data, which you store as JSON. */
export type Consent<Sent = unknown, Answer = unknown> = {
  id: string;
  scope: Scope;
  version: Version;
  /** The body that you sent; an order must repeat it. */
  sent: Sent;
  /** What the bank answered. */
  answer: Answer;
};

/** The consent that a body answers. */
export function consentOf<Sent, Answer>(
  scope: Scope,
  version: Version,
  sent: Sent,
  answer: Answer,
): Consent<Sent, Answer> {
  const { ConsentId: id } = (answer as { Data: { ConsentId: string } }).Data;
  return { id, scope, version, sent, answer };
}

/** The id in a consent, or an id as given. */
export const idOf = (consent: { id: string } | string): string =>
  encodeURIComponent(typeof consent === "string" ? consent : consent.id);

/** Throws if a grant belongs to another consent. */
export function assertOwn(consent: { id: string }, grant: Grant): void {
  if (consent.id === grant.consentId) return;
  throw new TypeError(`The grant is for the consent ${grant.consentId}, not ${consent.id}.`);
}

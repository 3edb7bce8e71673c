import { type ChallengeSubject, subjectHash } from "#src/bank/challenge.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import type { Consent } from "./consent.ts";

// Decides whether what a customer approves is still what was shown: by the facts, and not by the
// words, which another release may have changed (decision 0062).

/** An act as its customer confirms it. */
export type ActToConfirm<Subject extends ChallengeSubject = ChallengeSubject> = {
  /** What is shown. Its hash is signed by a passkey, and returned by an app or a provider. */
  subject: Subject;
  /** The hash of its facts. */
  factsHash: string;
};

// A release that hashes other facts, or the same facts in another form, must raise this number, and
// compare stored hashes of the number before in the form before.
const version = 1;

// as JSON, so that times and amounts are texts
const plain = (facts: object): unknown =>
  JSON.parse(
    JSON.stringify(facts, (_, value: unknown) =>
      typeof value === "bigint" ? value.toString() : value,
    ),
  );

/** Makes an act from what is shown and from its facts. */
export const actToConfirm = <Subject extends ChallengeSubject>(
  subject: Subject,
  facts: object,
): ActToConfirm<Subject> => ({ subject, factsHash: factsHash({ act: subject.act, facts }) });

/** How the hashes of facts begin that this release can compare. */
export const factsHashStart = `${version}.`;

/** The hash of facts. */
export const factsHash = (facts: object): string =>
  `${factsHashStart}${sha256(canonicalJson(plain(facts)))}`;

/**
 * Whether an act is still what was shown. An earlier release has stored only the hash of its
 * subject, with the words. They are compared too if a later release has hashed other facts.
 */
export const isSameAct = (
  shown: { subjectHash: string; factsHash?: string | null },
  now: ActToConfirm,
): boolean =>
  shown.factsHash?.startsWith(factsHashStart)
    ? shown.factsHash === now.factsHash
    : shown.subjectHash === subjectHash(now.subject);

/** Which members of a consent its customer approves. The others say what has become of it. */
const isApproved: Readonly<Record<keyof Consent, boolean>> = {
  consentId: true,
  kind: true,
  apiVersion: true,
  clientId: true,
  createdAt: true,
  expiresAt: true,
  body: true,
  terms: true,
  permissions: true,
  transactionsFrom: true,
  transactionsTo: true,
  status: false,
  statusReason: false,
  statusUpdatedAt: false,
  customerId: false,
  accountIds: false,
  debtor: false,
  grantId: false,
  authorisedAt: false,
  pausedAt: false,
};

/** The facts of a consent that its customer approves. */
export const approvedMembers = (consent: Consent): object =>
  Object.fromEntries(Object.entries(consent).filter(([name]) => isApproved[name as keyof Consent]));

/** The facts of rows: what they say that neither the request nor the bank's terms say. */
export const factsOfRows = (rows: readonly Pick<SummaryRow, "facts">[]): object =>
  Object.assign({}, ...rows.map(({ facts }) => facts ?? {})) as object;

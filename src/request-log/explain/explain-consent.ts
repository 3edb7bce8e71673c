import { hasExpired } from "#src/consents/as-of.ts";
import { type Consent, loadConsent } from "#src/consents/consent.ts";
import { type Change, listChanges } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { Explanation } from "./explanation.ts";
import { doneBy, lineOf, type TesterAct } from "./history-line.ts";

/** Explains a consent: what was granted, by whom, until when, and why it ended. */
export async function explainConsent(
  on: Queryable,
  consentId: string,
  { now, acts }: { now: Temporal.Instant; acts: readonly TesterAct[] },
): Promise<Explanation | null> {
  const changes = await listChanges(on, consentId);
  const [first] = changes;
  if (first?.objectKind !== "consent") return null;
  const consent = await loadConsent(on, consentId);
  const standing = standingOf({ changes, acts }, consent, now);
  return {
    subject: "consent",
    id: consentId,
    summary: standing.summary,
    faults: [],
    signature: null,
    facts: consent ? grantedBy(consent) : [],
    history: changes.map((change) => lineOf(change, acts)),
    next: standing.next,
  };
}

function grantedBy(consent: Consent): Explanation["facts"] {
  const { permissions, customerId, accountIds, authorisedAt, expiresAt, grantId } = consent;
  const facts: [name: string, value: string | null][] = [
    ["kind", `${consent.kind} on ${consent.apiVersion}`],
    ["client", consent.clientId],
    ["permissions", permissions.length > 0 ? permissions.join(", ") : null],
    ["granted by", customerId],
    ["granted at", authorisedAt?.toString() ?? null],
    ["granted until", expiresAt?.toString() ?? "no date: it lasts until somebody ends it"],
    ["transactions from", consent.transactionsFrom?.toString() ?? null],
    ["transactions until", consent.transactionsTo?.toString() ?? null],
    ["accounts", accountIds.length > 0 ? accountIds.join(", ") : null],
    [
      "grant",
      grantId ?? (authorisedAt === null ? null : "none: its tokens are not valid any more"),
    ],
    ["paused at", consent.pausedAt?.toString() ?? null],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

function standingOf(
  { changes, acts }: { changes: readonly Change[]; acts: readonly TesterAct[] },
  consent: Consent | undefined,
  now: Temporal.Instant,
): { summary: string; next: string } {
  const last = changes.at(-1);
  const created = changes[0]?.occurredAt.toString() ?? "";
  if (!consent || !last) {
    const by = last ? `${doneBy(last, acts)} at ${last.occurredAt}` : "the TPP";
    return {
      summary: `The consent was created at ${created} and deleted by ${by}.`,
      next: "Create a new consent, and ask the customer to authorise it.",
    };
  }
  const isOver = hasExpired(consent, now) && ["AWAU", "AUTH", "AWUP"].includes(consent.status);
  const status = isOver ? (consent.status === "AUTH" ? "EXPD" : "RJCT") : consent.status;
  const reasons = consent.statusReason.map(({ text }) => text).join(" ");
  const since = isOver ? consent.expiresAt : consent.statusUpdatedAt;
  // a suspension has not changed the status
  const latest = changes.findLast(({ before, after }) => before?.status !== after.status);
  const who = isOver ? "the passing of time" : doneBy(latest, acts);
  const why = isOver ? `It expired at ${consent.expiresAt}.` : reasons;
  const summary =
    `The consent was created at ${created}. It is ${status} (${meanings[status] ?? "a status"}) ` +
    `since ${since}, by ${who}. ${why}`.trim();
  return { summary, next: nextSteps[status] ?? "Read the consent." };
}

const meanings: Readonly<Record<string, string>> = {
  AWUP: "it waits for its file",
  AWAU: "it waits for the customer",
  AUTH: "the customer has authorised it",
  COND: "its order has used it up",
  RJCT: "it was rejected",
  CANC: "its access was withdrawn",
  EXPD: "its time is over",
};

const nextSteps: Readonly<Record<string, string>> = {
  AWUP: "Upload the file, then send the customer to /auth.",
  AWAU: "Send the customer to /auth with this consent.",
  AUTH: "Use it with a token that was issued for this consent.",
  COND: "Read its order. For another payment, create a new consent.",
  RJCT: "Create a new consent, and send the customer to /auth within its time.",
  CANC: "Ask the customer to authorise again, or create a new consent.",
  EXPD: "Create a new consent, and ask the customer to authorise it.",
};

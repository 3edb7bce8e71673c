import { hasExpired } from "#src/consents/as-of.ts";
import { type Consent, loadConsent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { isUsedUpByOrder, nextConsentStatus } from "#src/consents/states.ts";
import { type Change, listChanges } from "#src/history/change.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { Explanation } from "./explanation.ts";
import { doneBy, endsGrant, type HistoryWords, lineOf, type TesterAct } from "./history-line.ts";
import type { VersionWords } from "./version-words.ts";

/** A kind of consent, as far as explanations need it. In production it summarises nothing. */
export type ExplainedKind = Pick<ConsentKind, "id" | "course"> &
  Partial<Pick<ConsentKind, "summarise">>;

/** What an explanation of a consent needs besides the consent. */
type Besides = {
  now: Temporal.Instant;
  acts: readonly TesterAct[];
  kinds: readonly ExplainedKind[];
  words: VersionWords;
  /** Why the TPP's request with this interaction id has ended a grant, in words. */
  whyGrantEnded(interactionId: string): Promise<string>;
};

/** Explains a consent: what was granted, by whom, until when, and why it ended. */
export async function explainConsent(
  on: Queryable,
  consentId: string,
  { now, acts, kinds, words: allWords, whyGrantEnded }: Besides,
): Promise<Explanation | null> {
  const changes = await listChanges(on, consentId);
  const [first] = changes;
  if (first?.objectKind !== "consent") return null;
  const consent = await loadConsent(on, consentId);
  const granted = consent && grantOf(consent, changes, kindNamed(consent.kind, kinds), now);
  const apiVersion = consent?.apiVersion ?? first.apiVersion;
  const words: HistoryWords = {
    status: (status) => (apiVersion ? allWords.consent({ apiVersion }, status) : status),
    reason: (one) => (apiVersion ? allWords.reason({ apiVersion }, one) : one.text),
  };
  const version = apiVersion ? allWords.version({ apiVersion }) : "";
  const standing = standingOf({ changes, acts, words, version }, granted, now);
  const history = changes.map(async (change) => {
    const { interactionId } = change;
    const isExplained = endsGrant(change) && interactionId !== null;
    return lineOf(change, acts, words, isExplained ? await whyGrantEnded(interactionId) : null);
  });
  return {
    subject: "consent",
    id: consentId,
    summary: standing.summary,
    faults: [],
    signature: null,
    facts: granted ? grantedBy(granted) : [],
    history: await Promise.all(history),
    next: standing.next,
  };
}

/** A consent with its kind, the end of its grant, and whether its grant has ended. */
type Granted = {
  consent: Consent;
  kind: ExplainedKind;
  until: Temporal.Instant | null;
  isGrantOver: boolean;
};

function grantOf(
  consent: Consent,
  changes: readonly Change[],
  kind: ExplainedKind,
  now: Temporal.Instant,
): Granted {
  const { authorisedAt, expiresAt, grantId } = consent;
  const { grantSeconds } = kind.course;
  const last = isUsedUpByOrder(kind.course) && authorisedAt?.add({ seconds: grantSeconds });
  const ended = grantId === null ? changes.findLast(endsGrant)?.occurredAt : undefined;
  const until = ended ?? expiresAt ?? (last || null);
  const isOver = until !== null && Temporal.Instant.compare(until, now) <= 0;
  return { consent, kind, until, isGrantOver: authorisedAt !== null && (!grantId || isOver) };
}

/** What a payment consent is for, as the customer's pages say it. */
export function askedFor(consent: Consent, kind: ExplainedKind): Explanation["facts"] {
  // before its file has come, nobody knows what it pays
  const isKnown = kind.course.initial !== "AWUP" || consent.terms.file !== undefined;
  const summary = isKnown ? kind.summarise?.(consent, consent.createdAt) : undefined;
  if (summary?.type !== "payment") return [];
  const payee = [summary.payeeName, summary.payeeAccount].filter((part) => part !== "");
  return [
    { name: "amount", value: summary.amount },
    { name: "payee", value: payee.join(", ") },
    ...summary.rows.map(({ label, value }) => ({ name: label.toLowerCase(), value })),
  ];
}

function grantedBy({ consent, kind, until }: Granted): Explanation["facts"] {
  const { permissions, customerId, accountIds, authorisedAt, grantId } = consent;
  const isEndless = until === null && authorisedAt !== null;
  const facts: [name: string, value: string | null][] = [
    ["kind", `${consent.kind} on ${consent.apiVersion}`],
    ["client", consent.clientId],
    ["permissions", permissions.length > 0 ? permissions.join(", ") : null],
    ["granted by", customerId],
    ["granted at", authorisedAt?.toString() ?? null],
    [
      "granted until",
      isEndless ? "no date: it lasts until somebody ends it" : (until?.toString() ?? null),
    ],
    ["transactions from", consent.transactionsFrom?.toString() ?? null],
    ["transactions until", consent.transactionsTo?.toString() ?? null],
    ["accounts", accountIds.length > 0 ? accountIds.join(", ") : null],
    [
      "grant",
      grantId ?? (authorisedAt === null ? null : "none: its tokens are not valid any more"),
    ],
    ["paused at", consent.pausedAt?.toString() ?? null],
  ];
  return [
    ...askedFor(consent, kind),
    ...facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
  ];
}

type History = {
  changes: readonly Change[];
  acts: readonly TesterAct[];
  words: HistoryWords;
  /** The version of the consent, such as `v3.1`. */
  version: string;
};

function standingOf(
  history: History,
  granted: Granted | undefined,
  now: Temporal.Instant,
): { summary: string; next: string } {
  const { changes, acts, words } = history;
  const last = changes.at(-1);
  const created = changes[0]?.occurredAt.toString() ?? "";
  if (!granted || !last) {
    const by = last ? `${doneBy(last, acts)} at ${last.occurredAt}` : "the TPP";
    return {
      summary: `The consent was created at ${created} and deleted by ${by}.`,
      next: anew,
    };
  }
  const { consent, kind, isGrantOver } = granted;
  const isOver = hasExpired(consent, now) && ["AWAU", "AUTH", "AWUP"].includes(consent.status);
  const status = isOver ? (consent.status === "AUTH" ? "EXPD" : "RJCT") : consent.status;
  const reasons = consent.statusReason.map(({ text }) => text).join(" ");
  const since = isOver ? consent.expiresAt : consent.statusUpdatedAt;
  // a suspension has not changed the status
  const latest = changes.findLast(({ before, after }) => before?.status !== after.status);
  const who = isOver ? "the passing of time" : doneBy(latest, acts);
  const isTokenless = status === "AUTH" && isGrantOver;
  const ending = isTokenless ? "Its grant has ended, so no token is valid for it." : reasons;
  const why = isOver ? `It expired at ${consent.expiresAt}.` : ending;
  const summary =
    `The consent was created at ${created}. It is ${words.status(status)} ` +
    `(${meaningOf(status, history)}) ` +
    `since ${since}, by ${who}. ${why}`.trim();
  if (isTokenless || status === "CANC") {
    const isAgain = nextConsentStatus(kind.course, status, "authorise") !== null;
    return { summary, next: isAgain ? again : anew };
  }
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

function meaningOf(status: string, { words, version }: History): string {
  const meaning = meanings[status] ?? "a status";
  const isUnsaid = status !== "AUTH" && words.status(status) === words.status("AUTH");
  return isUnsaid ? `${meaning}; ${version} has no other word for it` : meaning;
}

const again = "Ask the customer to authorise again, with this consent.";
const anew = "Create a new consent, and ask the customer to authorise it.";

const nextSteps: Readonly<Record<string, string>> = {
  AWUP: "Upload the file, then send the customer to /auth.",
  AWAU: "Send the customer to /auth with this consent.",
  AUTH: "Use it with a token that was issued for this consent.",
  COND: "Read its order. For another payment, create a new consent.",
  RJCT: "Create a new consent, and send the customer to /auth within its time.",
  EXPD: anew,
};

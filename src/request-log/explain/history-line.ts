import type { Change, HistoryFacts } from "#src/history/change.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { ShownReason } from "#src/standard/api-version.ts";
import type { HistoryLine } from "./explanation.ts";

/** Who makes a change, in words. */
const actors: Record<Change["cause"], string> = {
  tpp: "the TPP",
  customer: "the customer",
  bank: "the bank",
  clock: "the passing of time",
  unknown: "somebody the history does not name",
};

/** Who changes something with the sandbox's controls, in words. */
export const tester = "a tester with the sandbox's controls";

const isPaused = (facts: HistoryFacts | null): boolean => facts?.paused === true;

/** Who has made a change, in words; `change` may be undefined if the history is not known. */
function actorOf(change: Change | undefined): string {
  if (change?.cause !== "bank" || change.objectKind !== "consent") {
    return actors[change?.cause ?? "unknown"];
  }
  // the bank itself lets time end a consent, and leaves its suspension to the customer
  const { before, after } = change;
  const hasExpired = after.status === "EXPD" && before?.status !== "EXPD";
  const isActOfTester = hasExpired || isPaused(after) !== isPaused(before);
  return isActOfTester ? tester : actors.bank;
}

/** What a tester has done to a consent or an order, and between which changes of its history. */
export type TesterAct = {
  act: string;
  at: Temporal.Instant;
  afterChange: bigint;
  untilChange: bigint;
};

/** Whether an act has brought a change about. */
export const isDue = ({ sequence }: Change, { afterChange, untilChange }: TesterAct): boolean =>
  sequence > afterChange && sequence <= untilChange;

/** Who has made a change: the bank itself carries out what testers do, and ends times for them. */
export const doneBy = (change: Change | undefined, acts: readonly TesterAct[]): string => {
  const isOfBank = change?.cause === "bank" || change?.cause === "clock";
  return isOfBank && acts.some((act) => isDue(change, act)) ? tester : actorOf(change);
};

const grantIn = (facts: HistoryFacts | null) => facts?.grant ?? null;

/** Whether a change has ended the grant of a consent. */
export const endsGrant = ({ before, after }: Change): boolean =>
  grantIn(before) !== null && grantIn(after) === null;

/** The words of a history, in those of the API version of its object. */
export type HistoryWords = {
  status(status: string): string;
  reason(reason: ShownReason): string;
};

/** A change of a consent or an order, in words; `why` says why it has ended a grant. */
export function lineOf(
  change: Change,
  acts: readonly TesterAct[],
  words: HistoryWords,
  why: string | null = null,
): HistoryLine {
  const { interactionId, occurredAt } = change;
  return {
    at: occurredAt.toString(),
    what: partsOf(change, words, why).join("; ") || "changed",
    by: doneBy(change, acts),
    interactionId,
  };
}

function partsOf(change: Change, words: HistoryWords, why: string | null): string[] {
  const { before, after } = change;
  const parts: string[] = [];
  const isNew = before?.status !== after.status;
  if (before === null) parts.push(`created as ${words.status(after.status)}`);
  else if (isNew) parts.push(becameText(before.status, after.status, words));
  if (endsGrant(change)) {
    parts.push(`its grant and tokens ended${why === null ? "" : `, because ${why}`}`);
  } else if (grantIn(after) !== grantIn(before)) {
    parts.push(`authorised with the grant ${textOf(grantIn(after))}`);
  }
  if (after.deleted === true && before?.deleted !== true) parts.push("deleted");
  if (after.contractEnded === true && before?.contractEnded !== true) {
    parts.push("its contract ended");
  }
  if (isPaused(after) !== isPaused(before)) {
    parts.push(isPaused(after) ? "its payments were suspended" : "its payments were resumed");
  }
  const { signatures } = after;
  if (typeof signatures === "number" && signatures !== before?.signatures) {
    parts.push(`${signatures} signed`);
  }
  const withdrawn = (facts: HistoryFacts | null) => (facts?.withdrawn ?? []) as string[];
  const more = withdrawn(after).filter((account) => !withdrawn(before).includes(account));
  if (more.length > 0) parts.push(`the customer withdrew the accounts ${more.join(", ")}`);
  const reasons = (isNew ? (after.reasons ?? []) : []) as ShownReason[];
  return [...parts, ...reasons.map((reason) => words.reason(reason))];
}

/** What a version with one word for several statuses does not say of a consent. */
const unsaid: Readonly<Record<string, string>> = {
  CANC: ", but its access was withdrawn",
  EXPD: ", but its time is over",
  AUTH: " and can be used again",
};

function becameText(before: string, after: string, { status }: HistoryWords): string {
  const [one, other] = [status(before), status(after)];
  return one === other ? `it stays ${other}${unsaid[after] ?? ""}` : `${one} became ${other}`;
}

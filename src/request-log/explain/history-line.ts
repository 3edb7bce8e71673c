import type { StatusReason } from "#src/consents/consent.ts";
import type { Change, HistoryFacts } from "#src/history/change.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { HistoryLine } from "./explanation.ts";

/** Who makes a change, in words. */
export const actors: Record<Change["cause"], string> = {
  tpp: "the TPP",
  customer: "the customer",
  bank: "the bank",
  clock: "the passing of time",
  unknown: "somebody the history does not name",
};

/** A change of a consent or an order, in words. */
export const lineOf = ({
  before,
  after,
  cause,
  interactionId,
  occurredAt,
}: Change): HistoryLine => ({
  at: occurredAt.toString(),
  what: partsOf(before, after).join("; ") || "changed",
  by: actors[cause],
  interactionId,
});

function partsOf(before: HistoryFacts | null, after: HistoryFacts): string[] {
  const parts: string[] = [];
  const isNew = before?.status !== after.status;
  if (before === null) parts.push(`created as ${after.status}`);
  else if (isNew) parts.push(`${before.status} became ${after.status}`);
  const grant = (facts: HistoryFacts | null) => facts?.grant ?? null;
  if (grant(after) !== grant(before)) {
    parts.push(
      grant(after) === null
        ? "its grant and tokens ended"
        : `authorised with the grant ${textOf(grant(after))}`,
    );
  }
  if (after.deleted === true && before?.deleted !== true) parts.push("deleted");
  if (after.contractEnded === true && before?.contractEnded !== true) {
    parts.push("its contract ended");
  }
  const { signatures } = after;
  if (typeof signatures === "number" && signatures !== before?.signatures) {
    parts.push(`${signatures} signed`);
  }
  const withdrawn = (facts: HistoryFacts | null) => (facts?.withdrawn ?? []) as string[];
  const more = withdrawn(after).filter((account) => !withdrawn(before).includes(account));
  if (more.length > 0) parts.push(`the customer withdrew the accounts ${more.join(", ")}`);
  const reasons = (isNew ? (after.reasons ?? []) : []) as StatusReason[];
  return [...parts, ...reasons.map(({ code, text }) => `${code}: ${text}`)];
}

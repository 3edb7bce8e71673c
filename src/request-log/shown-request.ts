import { checkNamesOf } from "#src/http/admit.ts";
import type { Operation } from "#src/http/operation.ts";
import { hundredths, type LogEntry, type LoggedBodies } from "./entry.ts";
import { isOfSignature, ownCheckOf } from "./own-checks.ts";
import type { FoundEntry } from "./place.ts";

type LoggedTimes = "at" | "bankTime";

/** One line of the log, as readers see it: with its times as texts, by the clock of the entry. */
export type ShownEntry = Omit<
  LogEntry,
  LoggedTimes | "idempotencyKey" | "isReplay" | "passed" | "played" | "refusedAfter"
> & {
  logId: string;
  /** What a sandbox played on the client, or null. */
  played: NonNullable<LogEntry["played"]> | null;
} & Record<LoggedTimes, string>;

/** A check of a request. */
type RequestCheck = {
  name: string;
  result: "passed" | "refused" | "not reached" | "not needed";
  /** How long it took; null if it was not reached or not needed. */
  milliseconds: number | null;
};

/** What the idempotency key of a request did. */
type KeyUse = {
  key: string;
  /** Whether the answer repeats an earlier one. */
  isReplay: boolean;
  /** The first request with this key that the log still has. */
  firstSeen: { logId: string; at: string; interactionId: string; status: number } | null;
};

/** One request in full. */
export type ShownRequest = ShownEntry & {
  checks: RequestCheck[];
  idempotency: KeyUse | null;
  /** Null outside a sandbox. */
  bodies: LoggedBodies | null;
  sameInteraction: ShownEntry[];
};

const instant = (milliseconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(milliseconds).toString({ smallestUnit: "millisecond" });

/** Renders a line of the log. */
export const showEntry = (entry: FoundEntry): ShownEntry => ({
  logId: entry.logId,
  at: instant(entry.at),
  bankTime: instant(entry.bankTime),
  milliseconds: entry.milliseconds,
  interactionId: entry.interactionId,
  method: entry.method,
  path: entry.path,
  api: entry.api,
  operation: entry.operation,
  status: entry.status,
  codes: entry.codes,
  clientId: entry.clientId,
  consentId: entry.consentId,
  resourceId: entry.resourceId,
  played: entry.played ?? null,
});

/** The names of the checks of each endpoint outside the APIs, by method and route. */
export type EndpointChecks = Readonly<Record<string, readonly string[]>>;

/** What a request may have called. */
export type Served = { operations: readonly Operation[]; endpointChecks: EndpointChecks };

function namesFor(entry: LogEntry, { operations, endpointChecks }: Served): readonly string[] {
  if (entry.api === null) return endpointChecks[`${entry.method} ${entry.operation ?? ""}`] ?? [];
  const operation = operations.find(
    ({ api, operationId }) => api.id === entry.api && operationId === entry.operation,
  );
  return operation ? checkNamesOf(operation) : [];
}

/** The checks of a request in their order, with their results. */
export function checksOf(entry: LogEntry, served: Served): RequestCheck[] {
  const names = namesFor(entry, served);
  if (names.length === 0) return [];
  const { passed } = entry;
  // an error that goes back to a client in a redirect has a code too
  const isRefused = entry.status >= 400 || entry.codes.length > 0;
  const isAfterAll = isRefused && passed !== null && passed.length >= names.length;
  const all = withOwnChecks(names, entry, isAfterAll);
  return all.map((name, index) => {
    const isOwn = isAfterAll && index === names.length;
    const end = isOwn ? undefined : passed?.[index];
    const before = passed?.slice(0, index).findLast((time) => time !== null) ?? 0;
    if (typeof end === "number") {
      return { name, result: "passed", milliseconds: hundredths(end - before) };
    }
    if (end === null || !isRefused) return { name, result: "not needed", milliseconds: null };
    const isLast = isOwn || index === passed?.length;
    if (!isLast) return { name, result: "not reached", milliseconds: null };
    const refusedAfter = entry.refusedAfter ?? entry.milliseconds;
    const milliseconds = hundredths(Math.max(refusedAfter - before, 0));
    return { name, result: "refused", milliseconds };
  });
}

/** The names with that of a check without a step: the one after all steps, or the signature. */
function withOwnChecks(
  names: readonly string[],
  entry: LogEntry,
  isAfterAll: boolean,
): readonly string[] {
  if (isAfterAll) return [...names, ownCheckOf(entry)];
  const at = entry.passed?.length;
  if (at === undefined || names[at] !== "body" || !isOfSignature(entry)) return names;
  return names.toSpliced(at, 0, "signature");
}

/** What the log knows about the idempotency key of a request; null without a key. */
export function keyOf(entry: LogEntry, first: FoundEntry | null): KeyUse | null {
  if (entry.idempotencyKey === null) return null;
  const firstSeen = first && {
    logId: first.logId,
    at: instant(first.at),
    interactionId: first.interactionId,
    status: first.status,
  };
  return { key: entry.idempotencyKey, isReplay: entry.isReplay, firstSeen };
}

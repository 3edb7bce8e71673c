import { paymentIdsOf } from "#src/payments/order/payment-order.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import { listPostings } from "#src/sandbox/bank/postings.ts";
import type { Database } from "#src/storage/database.ts";
import type { ClientVerdict, Misbehaviour, RunSettings } from "./misbehaviour.ts";
import type { ObservedCall } from "./observed-call.ts";
import type { PlayedRow, RobustRun } from "./robust-run.ts";

/** A row of the table, in words. */
type ShownMisbehaviour = Pick<Misbehaviour, "name" | "title" | "plays" | "touches" | "robust">;

/** A call on which something was played. */
type ShownPlay = {
  at: string;
  method: string;
  path: string;
  interactionId: string | null;
  /** Its id in the log of requests; null if the log does not have it. */
  logId: string | null;
};

/** What was played in a run, and how the client coped. */
export type RobustReport = {
  clientId: string;
  state: "running" | "ended";
  startedAt: string;
  /** When the run ends, or has ended. */
  endsAt: string;
  settings: RunSettings;
  /** Whether the client was found to cope with everything that could be judged. */
  isRobust: boolean;
  /** The number of rows with each verdict. */
  summary: Record<ClientVerdict, number>;
  rows: (ShownMisbehaviour & {
    state: PlayedRow["state"];
    played: ShownPlay[];
    verdict: ClientVerdict | null;
    /** What the bank saw; null as long as nothing is decided. */
    seen: string | null;
    /** What to change; null if nothing need be. */
    advice: string | null;
  })[];
};

/** The verdicts that are faults of the client. */
const faults: readonly ClientVerdict[] = ["paid twice", "gave up", "at risk"];

type Sources = {
  database: Database;
  requests: LogReader | null;
  /** Whether the bank's ledger is in the database. */
  hasLedger: boolean;
};

/** Shows a row of the table. */
export const showMisbehaviour = (row: Misbehaviour): ShownMisbehaviour => {
  const { name, title, plays, touches, robust } = row;
  return { name, title, plays, touches, robust };
};

const instant = (milliseconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(milliseconds).toString({ smallestUnit: "millisecond" });

/** Reports on a run. */
export async function reportOn(run: RobustRun, sources: Sources): Promise<RobustReport> {
  const rows: RobustReport["rows"] = [];
  for (const one of run.rows) {
    const { row, state, plays, judgement } = one;
    const isFault = judgement !== null && faults.includes(judgement.verdict);
    const played: ShownPlay[] = [];
    for (const call of plays) played.push(await showPlay(call, run.clientId, sources.requests));
    rows.push({
      ...showMisbehaviour(row),
      state,
      played,
      verdict: judgement?.verdict ?? null,
      seen: await seenBy(one, sources),
      advice: isFault ? row.advice : null,
    });
  }
  const count = (verdict: ClientVerdict): number =>
    rows.filter((row) => row.verdict === verdict).length;
  return {
    clientId: run.clientId,
    state: run.endedAt === null ? "running" : "ended",
    startedAt: instant(run.startedAt),
    endsAt: instant(run.endsAt),
    settings: run.settings,
    isRobust: faults.every((verdict) => count(verdict) === 0) && count("coped") > 0,
    summary: {
      coped: count("coped"),
      "paid twice": count("paid twice"),
      "gave up": count("gave up"),
      "at risk": count("at risk"),
      "not reached": count("not reached"),
      "cannot be judged": count("cannot be judged"),
    },
    rows,
  };
}

// The log has a call when its answer is complete.
const entryMs = 2000;

async function showPlay(call: ObservedCall, client: string, requests: Sources["requests"]) {
  const { at, endedAt, method, path, interactionId, played } = call;
  const [since, until] = [instant(at), instant((endedAt ?? at) + entryMs)];
  const logged = await requests?.list({ client, path, since, until, limit: "200" });
  const found = logged?.requests.findLast(
    (one) => one.played?.name === played && one.method === method,
  );
  return { at: since, method, path, interactionId, logId: found?.logId ?? null };
}

/** What the bank saw, with the ledger's word on what was paid twice. */
async function seenBy({ judgement }: PlayedRow, sources: Sources): Promise<string | null> {
  if (judgement === null) return null;
  const { seen, orders = [] } = judgement;
  if (orders.length === 0 || !sources.hasLedger) return seen;
  let booked = 0;
  for (const orderId of orders) {
    const postings = await listPostings(sources.database, paymentIdsOf(orderId));
    if (postings.length > 0) booked++;
  }
  return `${seen} The ledger has booked ${booked} of them.`;
}

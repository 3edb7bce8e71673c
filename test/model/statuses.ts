import { type Call, type Calls, isBefore } from "./calls.ts";
import type { Breach } from "./rule.ts";

/** A status that an answer showed. */
export type Sighting = { subject: string; status: string; call: Call };

/** Lists the statuses of orders that answers showed. */
export const orderSightings = (calls: Calls): Sighting[] => [
  ...calls.done("order").map((call) => ({ ...call.told, subject: call.told.orderId, call })),
  ...calls
    .done("readOrder")
    .map((call) => ({ subject: call.asked.orderId, status: call.told.status, call })),
  ...calls
    .done("keptOrders")
    .flatMap((call) =>
      call.told.orders.map(({ orderId, status }) => ({ subject: orderId, status, call })),
    ),
];

/** Whether a status is a code of v4.0. The words of v3.1 stand for several codes each. */
export const isCode = (status: string): boolean => /^[A-Z]{4}$/.test(status);

// Each line: a status, and those that may follow it directly. Written down from the state models of
// the published resource pages, not from the product's tables.
type Lines = Record<string, string>;

/** Orders that are one payment. */
const singleOrder: Lines = {
  RCVD: "PDNG ACTC PATC RJCT CANC",
  PDNG: "ACTC RJCT CANC",
  ACTC: "ACCP RJCT",
  PATC: "ACCP RJCT",
  ACCP: "ACFC RJCT CANC",
  ACFC: "ACSP RJCT",
  ACSP: "ACWC ACSC RJCT",
  ACWC: "ACSC RJCT",
  ACSC: "ACCC ACWP BLCK RJCT",
  ACWP: "ACCC RJCT",
  ACCC: "",
  BLCK: "",
  RJCT: "",
  CANC: "",
};

/** Standing orders and files. */
const severalOrder: Lines = {
  RCVD: "ACTC PATC PDNG RJCT CANC",
  ACTC: "PDNG RJCT",
  PATC: "PDNG RJCT",
  PDNG: "INCO INFA CANC",
  INCO: "CANC",
  INFA: "",
  RJCT: "",
  CANC: "",
};

/** The same orders in the words of v3.1. */
const orderWords: Lines = {
  Pending: "AcceptedSettlementInProcess Rejected",
  AcceptedSettlementInProcess: "AcceptedSettlementCompleted Rejected",
  AcceptedSettlementCompleted: "AcceptedWithoutPosting AcceptedCreditSettlementCompleted Rejected",
  AcceptedWithoutPosting: "AcceptedCreditSettlementCompleted Rejected",
  AcceptedCreditSettlementCompleted: "",
  Rejected: "",
  InitiationPending: "InitiationCompleted InitiationFailed Cancelled",
  InitiationCompleted: "Cancelled",
  InitiationFailed: "",
  Cancelled: "",
};

/** Consents. One that is never used up can be authorised again after its customer ended it. */
const consent: Lines = {
  AWUP: "AWAU RJCT",
  AWAU: "AUTH RJCT",
  AUTH: "COND CANC EXPD",
  CANC: "AUTH EXPD",
  COND: "",
  RJCT: "",
  EXPD: "",
};

const consentWords: Lines = {
  AwaitingUpload: "AwaitingAuthorisation Rejected",
  AwaitingAuthorisation: "Authorised Rejected",
  Authorised: "Consumed Revoked Expired",
  Revoked: "Authorised Expired",
  Consumed: "",
  Rejected: "",
  Expired: "",
};

/** For each status, those that may be seen later. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function reachable(lines: Lines): Graph {
  return new Map(
    Object.keys(lines).map((from) => {
      const found = new Set([from]);
      // the iteration of a set also visits what is added meanwhile
      for (const status of found) {
        for (const next of (lines[status] ?? "").split(" ")) if (next) found.add(next);
      }
      return [from, found];
    }),
  );
}

/** The graphs of orders, and of consents. */
export const orderGraphs = [singleOrder, severalOrder, orderWords].map(reachable);
export const consentGraphs = [consent, consentWords].map(reachable);

/** Whether a status may be seen after another. Words of two API versions cannot be compared. */
export function mayFollow(graphs: readonly Graph[], from: string, to: string): boolean {
  const both = graphs.filter((graph) => graph.has(from) && graph.has(to));
  if (both.length === 0) return graphs.some((graph) => graph.has(to));
  return both.some((graph) => graph.get(from)?.has(to));
}

/** Finds statuses that were seen after one that they cannot follow. */
export function* backwardSteps(
  sightings: readonly Sighting[],
  graphs: readonly Graph[],
): Iterable<Breach> {
  for (const [subject, seen] of Map.groupBy(sightings, (one) => one.subject)) {
    // of each status, the sighting that ended first is before most others
    const firsts = new Map<string, Sighting>();
    for (const one of seen.toSorted((a, b) => a.call.end - b.call.end)) {
      if (!firsts.has(one.status)) firsts.set(one.status, one);
    }
    for (const later of firsts.size < 2 ? [] : seen) {
      for (const earlier of firsts.values()) {
        if (!isBefore(earlier.call, later.call)) continue;
        if (mayFollow(graphs, earlier.status, later.status)) continue;
        const text = `${subject} was ${earlier.status} and later ${later.status}`;
        yield { subject, text, calls: [earlier.call, later.call] };
      }
    }
  }
}

import { assert, present } from "#src/lib/assert.ts";
import type { ShownStatuses } from "#src/standard/shared/payments/statuses.ts";

/**
 * Internal status of a payment and of its order: the full ISO 20022 vocabulary. Only orders with
 * several payments have INCO, INFA and PART.
 */
export type PaymentStatus =
  | "RCVD"
  | "PDNG"
  | "ACTC"
  | "PATC"
  | "ACCP"
  | "ACFC"
  | "ACSP"
  | "ACWC"
  | "ACSC"
  | "ACWP"
  | "ACCC"
  | "BLCK"
  | "RJCT"
  | "CANC"
  | "INCO"
  | "INFA"
  | "PART";

/**
 * The events of a payment. `warehouse`: stored until its date; `validate`: syntax and
 * authentication are valid; `awaitSignatures`: more signatories must approve; `accept`: the
 * customer may make it; `reserve`: the funds are reserved; `submit`: given to execution; `change`:
 * accepted with a change; `debit`: the debtor is debited; `credit`: posted to the creditor;
 * `creditWithoutPosting`: the creditor's bank has received it but not posted it; `block`: frozen
 * there; `reject`; `cancel`: by the customer.
 */
export type PaymentEvent =
  | "warehouse"
  | "validate"
  | "awaitSignatures"
  | "accept"
  | "reserve"
  | "submit"
  | "change"
  | "debit"
  | "credit"
  | "creditWithoutPosting"
  | "block"
  | "reject"
  | "cancel";

/** The table of transitions that a payment follows. */
export type PaymentFamily = "immediate" | "scheduled";

/**
 * The family of an order, which comes from its kind's row and is stored with the order. An
 * immediate or a scheduled order has one payment, and its status. The others have several payments
 * and separate tables.
 */
export type OrderFamily = PaymentFamily | SeveralFamily;
type SeveralFamily = "standingOrder" | "file";

/**
 * The events of an order with several payments. `complete`: it is set up (a standing order), or
 * every payment has been processed (a file); `fail`: this was not possible, in part or as a whole.
 */
export type OrderEvent =
  | "validate"
  | "warehouse"
  | "awaitSignatures"
  | "accept"
  | "complete"
  | "fail"
  | "reject"
  | "cancel";

type Table = Partial<Record<PaymentStatus, Partial<Record<PaymentEvent, PaymentStatus>>>>;

// Source: PISP resource pages, Domestic Payments, State Model.
const immediate = {
  RCVD: { warehouse: "PDNG", validate: "ACTC", awaitSignatures: "PATC", reject: "RJCT" },
  PDNG: { validate: "ACTC" },
  ACTC: { accept: "ACCP" },
  PATC: { accept: "ACCP", reject: "RJCT" },
  ACCP: { reserve: "ACFC", reject: "RJCT" },
  ACFC: { submit: "ACSP", reject: "RJCT" },
  ACSP: { change: "ACWC", debit: "ACSC", reject: "RJCT" },
  ACWC: { debit: "ACSC", reject: "RJCT" },
  ACSC: { credit: "ACCC", creditWithoutPosting: "ACWP", block: "BLCK", reject: "RJCT" },
  ACWP: { reject: "RJCT" },
} as const satisfies Table;

const tables: Record<PaymentFamily, Table> = {
  immediate,
  // A future-dated payment is PDNG until its date, or ACCP once all have signed it, and can be
  // cancelled until then. Source: PISP resource pages, Domestic Scheduled Payments, State Model.
  scheduled: {
    ...immediate,
    RCVD: { ...immediate.RCVD, cancel: "CANC" },
    PDNG: { ...immediate.PDNG, cancel: "CANC" },
    ACCP: { ...immediate.ACCP, cancel: "CANC" },
  },
};

type OrderTable = Partial<Record<PaymentStatus, Partial<Record<OrderEvent, PaymentStatus>>>>;

const orderTables: Record<SeveralFamily, OrderTable> = {
  // Source: PISP resource pages, Domestic Standing Orders, State Model. A running standing order is
  // cancelled like one that is being set up: the published enum has CANC, and the customer must be
  // able to cancel.
  standingOrder: {
    RCVD: { validate: "ACTC", awaitSignatures: "PATC", reject: "RJCT", cancel: "CANC" },
    ACTC: { warehouse: "PDNG" },
    PATC: { accept: "PDNG", reject: "RJCT" },
    PDNG: { complete: "INCO", fail: "INFA", cancel: "CANC" },
    INCO: { cancel: "CANC" },
  },
  // Source: PISP resource pages, File Payments, State Model. A future-dated file can be cancelled
  // before its date.
  file: {
    RCVD: { warehouse: "PDNG", awaitSignatures: "PATC", reject: "RJCT", cancel: "CANC" },
    PATC: { accept: "PDNG", reject: "RJCT" },
    PDNG: { complete: "INCO", fail: "INFA", cancel: "CANC" },
  },
};

/** A transition of an order's table. */
export type OrderTransition = {
  from: PaymentStatus;
  event: PaymentEvent | OrderEvent;
  to: PaymentStatus;
};

/** Every transition that an order of a family can make from its creation on. */
export function transitionsOf(family: OrderFamily): OrderTransition[] {
  const table: Table | OrderTable = isSingle(family) ? tables[family] : orderTables[family];
  const found: OrderTransition[] = [];
  const reached = new Set<PaymentStatus>(["RCVD"]);
  // a status that is reached joins the end of the set
  for (const from of reached) {
    for (const [event, to] of Object.entries(table[from] ?? {})) {
      found.push({ from, event: event as OrderTransition["event"], to });
      reached.add(to);
    }
  }
  return found;
}

/** Whether a transition leads on from a status of an order. */
export const canChange = (family: OrderFamily, status: PaymentStatus): boolean =>
  transitionsOf(family).some(({ from }) => from === status);

const isSingle = (family: OrderFamily): family is PaymentFamily => family in tables;

const ofPayment = { hasAmount: true, takesReason: true, isMarked: false };

/** What the row of an order stores, by its family. */
export const storedWith: Record<
  OrderFamily,
  {
    /** Whether it has the amount of its payment. */
    hasAmount: boolean;
    /** Whether it takes the reason of its payment's status, as it takes the status. */
    takesReason: boolean;
    /** Whether it is marked as long as its payments are in progress. */
    isMarked: boolean;
  }
> = {
  immediate: ofPayment,
  scheduled: ofPayment,
  standingOrder: { hasAmount: false, takesReason: false, isMarked: false },
  file: { hasAmount: false, takesReason: false, isMarked: true },
};

/** The table that the payments of an order follow. */
export const paymentFamily = (family: OrderFamily): PaymentFamily =>
  family === "immediate" ? "immediate" : "scheduled";

/** The status of an order with several payments after an event; null if the event is illegal. */
export const nextOrderStatus = (
  family: SeveralFamily,
  status: PaymentStatus,
  event: OrderEvent,
): PaymentStatus | null => orderTables[family][status]?.[event] ?? null;

/** The statuses in which an event is legal: the writing statement names them in `where`. */
export function orderStatusesBefore(family: SeveralFamily, event: OrderEvent): PaymentStatus[] {
  const rows = Object.entries(orderTables[family]) as [PaymentStatus, OrderTable[PaymentStatus]][];
  return rows.filter(([, cells]) => cells?.[event]).map(([status]) => status);
}

/** A transition of an order, from one of these statuses to another. */
type OrderMove = { before: readonly PaymentStatus[]; after: PaymentStatus };

// A standing order is set up, and a file is in progress, as soon as the engine has processed one of
// its payments: the order passes all the statuses up to there together.
const severalMoves: Record<SeveralFamily, OrderMove> = {
  standingOrder: { before: ["RCVD", "ACTC", "PATC", "PDNG"], after: "INCO" },
  file: { before: ["RCVD", "PATC"], after: "PDNG" },
};

/** The transition of an order that follows a transition of its payment; null if there is none. */
export function orderMoveOf(
  family: OrderFamily,
  before: PaymentStatus,
  after: PaymentStatus,
): OrderMove | null {
  if (!isSingle(family)) return severalMoves[family];
  return before === after ? null : { before: [before], after };
}

/** The status after an event, or null where the table has no such cell. */
export function nextPaymentStatus(
  family: PaymentFamily,
  status: PaymentStatus,
  event: PaymentEvent,
): PaymentStatus | null {
  return tables[family][status]?.[event] ?? null;
}

/** The statuses in which an event is legal: the writing statement names them in `where`. */
export function paymentStatusesBefore(family: PaymentFamily, event: PaymentEvent): PaymentStatus[] {
  const rows = Object.entries(tables[family]) as [PaymentStatus, Table[PaymentStatus]][];
  return rows.filter(([, cells]) => cells?.[event]).map(([status]) => status);
}

/** The status after several events; an illegal event is a bug of the caller. */
export function passPaymentStatus(
  family: PaymentFamily,
  status: PaymentStatus,
  events: readonly PaymentEvent[],
): PaymentStatus {
  return events.reduce((before, event) => {
    const after = nextPaymentStatus(family, before, event);
    assert(after, `a payment in ${before} can ${event}`);
    return after;
  }, status);
}

/** The statuses of a payment before its date, when nothing has happened to the account yet. */
export const waitingStatuses: readonly PaymentStatus[] = ["RCVD", "PDNG", "ACTC", "PATC", "ACCP"];

/**
 * The statuses in which a payment of a file is in progress: only then its `in_work_of_file` is set.
 * Events after the debit are shown only in payment-details and the report.
 */
export const filePaymentsInWork: readonly PaymentStatus[] = [
  ...waitingStatuses,
  ...(["ACFC", "ACSP", "ACWC"] as const),
];

/** The statuses of a file that has not ended: only then its `file_in_work_since` is set. */
export const filesInWork: readonly PaymentStatus[] = ["RCVD", "PATC", "PDNG"];

/** Whether a payment in this status has not affected the account yet. */
export const isWaiting = (status: PaymentStatus): boolean => waitingStatuses.includes(status);

/** The status of a new order, and of its payments, that awaits more signatures. */
export function awaitingSignatures(family: OrderFamily): PaymentStatus {
  const after = isSingle(family)
    ? nextPaymentStatus(family, "RCVD", "awaitSignatures")
    : nextOrderStatus(family, "RCVD", "awaitSignatures");
  assert(after, `an order of the ${family} family can wait for signatures`);
  return after;
}

/** `MultiAuthorisation.Status`. Source: PISP profile, OBMultiAuthorisation1, PC-09. */
export type MultiAuthorisationStatus = "AWAF" | "AUTH" | "RJCT";

/** The events of a multiple authorisation; `expire`: not all signed in time. */
export type MultiAuthorisationEvent = "sign" | "complete" | "reject" | "expire";

const multiAuthorisation: Partial<
  Record<MultiAuthorisationStatus, Record<MultiAuthorisationEvent, MultiAuthorisationStatus>>
> = {
  AWAF: { sign: "AWAF", complete: "AUTH", reject: "RJCT", expire: "RJCT" },
};

/** The status after an event, or null where the table has no such cell. */
export function nextMultiAuthorisationStatus(
  status: MultiAuthorisationStatus,
  event: MultiAuthorisationEvent,
): MultiAuthorisationStatus | null {
  return multiAuthorisation[status]?.[event] ?? null;
}

// The replacements for a status that a set lacks: the first one in the set is used.
const substitutes: Record<PaymentStatus, readonly PaymentStatus[]> = {
  RCVD: ["PDNG"],
  PDNG: ["RCVD"],
  ACTC: ["PDNG"],
  PATC: ["PDNG"],
  ACCP: ["PDNG"],
  ACFC: ["PDNG"],
  ACSP: ["PDNG"],
  ACWC: ["ACSP", "PDNG"],
  ACSC: ["INCO"],
  ACWP: ["ACSC", "INCO"],
  ACCC: ["ACSC", "INCO"],
  BLCK: ["ACSC", "INCO"],
  RJCT: ["INFA"],
  CANC: ["RJCT", "INFA"],
  INCO: ["ACSC"],
  INFA: ["RJCT"],
  PART: ["PDNG"],
};

function clamp(status: string, allowed: readonly string[]): string {
  if (allowed.includes(status)) return status;
  const shown = substitutes[status as PaymentStatus]?.find((other) => allowed.includes(other));
  assert(shown, `${status} can be shown as one of ${allowed.join(", ")}`);
  return shown;
}

/** The `Status` of an order for a TPP: one that the published schema allows. */
export const exposeStatus = (shown: ShownStatuses, status: string): string =>
  exposed(shown, "order", status);

/** The `Status` of a payment in payment-details, chosen likewise. Source: PC-07. */
export const exposeDetailStatus = (shown: ShownStatuses, status: string): string =>
  exposed(shown, "details", status);

function exposed(shown: ShownStatuses, place: "order" | "details", status: string): string {
  const code = clamp(status, shown[place]);
  return shown.words ? present(shown.words[place][code], `the word for ${code}`) : code;
}

// ACSC is not among them: the creditor's bank has not answered yet
const settled = ["ACCC", "ACWP", "RJCT", "CANC"];

/** The statuses of a payment in payment-details, in the version's words, that change no more. */
export const settledStatuses = (shown: ShownStatuses): ReadonlySet<string> =>
  new Set(
    settled
      .filter((status) => shown.details.includes(status))
      .map((status) => exposeDetailStatus(shown, status)),
  );

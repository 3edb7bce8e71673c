import { assert } from "#src/lib/assert.ts";
import type { EmitSets, StatusVocabulary } from "#src/standard/pisp-v4.0/payment-statuses.ts";

/**
 * Internal status of a payment and of its order: the full ISO 20022 vocabulary. INCO, INFA and PART
 * are of orders with several payments only.
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
 * What happens to a payment. `warehouse`: kept for its day; `validate`: syntax and authentication
 * are fine; `awaitSignatures`: more signatories must approve; `accept`: the customer may make it;
 * `reserve`: the funds are set aside; `submit`: given to execution; `change`: accepted with a
 * change; `debit`: the debtor is debited; `credit`: posted to the creditor;
 * `creditWithoutPosting`: the creditor's bank has it, unposted; `block`: frozen there; `reject`;
 * `cancel`: by the customer.
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

/** The table that a payment follows. */
export type PaymentFamily = "immediate" | "scheduled";

/**
 * The family of an order, which its kind's row states and which is stored with it. An immediate or
 * a scheduled order has one payment, and the status of that payment; the others have several
 * payments and a table of their own.
 */
export type OrderFamily = PaymentFamily | SeveralFamily;
type SeveralFamily = "standingOrder" | "file";

/**
 * What happens to an order of several payments. `complete`: it is set up (a standing order), or
 * each payment has been dealt with (a file); `fail`: it could not be, in part or whole.
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

// Source: PISP resource pages, State Model.
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
  // A future-dated payment waits for its day in PDNG, or in ACCP once all have signed it, and can
  // be cancelled from there. Source: PISP resource pages, State Model.
  scheduled: {
    ...immediate,
    RCVD: { ...immediate.RCVD, cancel: "CANC" },
    PDNG: { ...immediate.PDNG, cancel: "CANC" },
    ACCP: { ...immediate.ACCP, cancel: "CANC" },
  },
};

type OrderTable = Partial<Record<PaymentStatus, Partial<Record<OrderEvent, PaymentStatus>>>>;

const orderTables: Record<SeveralFamily, OrderTable> = {
  // Source: PISP resource pages, State Model. A standing order that runs is cancelled like one
  // that is being set up: the
  // published enum has CANC, and its customer must be able to.
  standingOrder: {
    RCVD: { validate: "ACTC", awaitSignatures: "PATC", reject: "RJCT", cancel: "CANC" },
    ACTC: { warehouse: "PDNG" },
    PATC: { accept: "PDNG", reject: "RJCT" },
    PDNG: { complete: "INCO", fail: "INFA", cancel: "CANC" },
    INCO: { cancel: "CANC" },
  },
  // Source: PISP resource pages, State Model. A file for a later day can be cancelled before it.
  file: {
    RCVD: { warehouse: "PDNG", awaitSignatures: "PATC", reject: "RJCT", cancel: "CANC" },
    PATC: { accept: "PDNG", reject: "RJCT" },
    PDNG: { complete: "INCO", fail: "INFA", cancel: "CANC" },
  },
};

/** Whether an order has one payment, and its status. */
export const isSingle = (family: OrderFamily): family is PaymentFamily =>
  family === "immediate" || family === "scheduled";

/** The table that the payments of an order follow. */
export const paymentFamily = (family: OrderFamily): PaymentFamily =>
  family === "immediate" ? "immediate" : "scheduled";

/** The status of an order of several after an event, or null where the table has no such cell. */
export const nextOrderStatus = (
  family: SeveralFamily,
  status: PaymentStatus,
  event: OrderEvent,
): PaymentStatus | null => orderTables[family][status]?.[event] ?? null;

/** The statuses that an event may leave: what the writing statement names in its `where`. */
export function orderStatusesBefore(family: SeveralFamily, event: OrderEvent): PaymentStatus[] {
  const rows = Object.entries(orderTables[family]) as [PaymentStatus, OrderTable[PaymentStatus]][];
  return rows.filter(([, cells]) => cells?.[event]).map(([status]) => status);
}

/** Where an order goes: out of one of these statuses into another. */
export type OrderMove = { before: readonly PaymentStatus[]; after: PaymentStatus };

// A standing order is set up, and a file in work, as soon as the engine has looked at a payment of
// it: all on the way there is passed in one go.
const severalMoves: Record<SeveralFamily, OrderMove> = {
  standingOrder: { before: ["RCVD", "ACTC", "PATC", "PDNG"], after: "INCO" },
  file: { before: ["RCVD", "PATC"], after: "PDNG" },
};

/** What the move of a payment by the engine does to its order; null when it stays as it is. */
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

/** The statuses that an event may leave: what the writing statement names in its `where`. */
export function paymentStatusesBefore(family: PaymentFamily, event: PaymentEvent): PaymentStatus[] {
  const rows = Object.entries(tables[family]) as [PaymentStatus, Table[PaymentStatus]][];
  return rows.filter(([, cells]) => cells?.[event]).map(([status]) => status);
}

/** The status after several events at once; an illegal one is a bug of the caller. */
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

/** Where a payment can be before its day: nothing has been done to the account yet. */
export const waitingStatuses: readonly PaymentStatus[] = ["RCVD", "PDNG", "ACTC", "PATC", "ACCP"];

/** Whether nothing has been done to the account for a payment in that status yet. */
export const isWaiting = (status: PaymentStatus): boolean => waitingStatuses.includes(status);

/** The status of a new order, and of its payments, that waits for more signatures. */
export function awaitingSignatures(family: OrderFamily): PaymentStatus {
  const after = isSingle(family)
    ? nextPaymentStatus(family, "RCVD", "awaitSignatures")
    : nextOrderStatus(family, "RCVD", "awaitSignatures");
  assert(after, `an order of the ${family} family can wait for signatures`);
  return after;
}

/** `MultiAuthorisation.Status`. Source: PISP profile, OBMultiAuthorisation1, C-09. */
export type MultiAuthorisationStatus = "AWAF" | "AUTH" | "RJCT";

/** What happens to an authorisation by several; `expire`: not all signed in time. */
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

// What stands for a status that a set lacks: the first of these that it has.
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

/** The statuses that a wire may show, by the release of its version. */
type Shown = Readonly<Record<StatusVocabulary, EmitSets>>;

/** The `Status` of an order that a TPP is shown: one that the published schema allows. */
export const exposeStatus = (shown: Shown, status: string, vocabulary: StatusVocabulary): string =>
  clamp(status, shown[vocabulary].order);

/** The `Status` of a payment in payment-details, chosen likewise. Source: C-07. */
export const exposeDetailStatus = (
  shown: Shown,
  status: string,
  vocabulary: StatusVocabulary,
): string => clamp(status, shown[vocabulary].details);

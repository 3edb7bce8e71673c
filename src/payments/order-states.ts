import { assert } from "#src/lib/assert.ts";
import {
  type EmitSets,
  emitSets,
  type StatusVocabulary,
} from "#src/standard/pisp-v4.0/payment-statuses.ts";

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

/** The table that a payment or an order follows; a new sort of order adds its own. */
export type PaymentFamily = "immediate" | "scheduled";

type Table = Partial<Record<PaymentStatus, Partial<Record<PaymentEvent, PaymentStatus>>>>;

// Source: digest 2.3, transitions of a single payment.
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
  // be cancelled from there. Source: digest 2.3 (CANC), 2.17.
  scheduled: {
    ...immediate,
    RCVD: { ...immediate.RCVD, cancel: "CANC" },
    PDNG: { ...immediate.PDNG, cancel: "CANC" },
    ACCP: { ...immediate.ACCP, cancel: "CANC" },
  },
};

const families: Record<string, PaymentFamily> = {
  "domestic-payment": "immediate",
  "domestic-scheduled-payment": "scheduled",
  "international-payment": "immediate",
  "international-scheduled-payment": "scheduled",
};

/** The kinds whose order is one payment and has its status. */
export const singlePaymentKinds: readonly string[] = Object.keys(families);

/** The table that a kind's payments follow; those of orders with several are immediate ones. */
export const paymentFamily = (kindId: string): PaymentFamily => families[kindId] ?? "immediate";

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

/** `MultiAuthorisation.Status`. Source: digest 2.6, C-09. */
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

function clamp(
  kindId: string,
  status: string,
  vocabulary: StatusVocabulary,
  where: keyof EmitSets,
): string {
  const allowed = emitSets[vocabulary][kindId]?.[where];
  assert(allowed, `${kindId} has a status vocabulary`);
  if (allowed.includes(status)) return status;
  const shown = substitutes[status as PaymentStatus]?.find((other) => allowed.includes(other));
  assert(shown, `${status} can be shown for ${kindId}`);
  return shown;
}

/** The `Status` of an order that a TPP is shown: clamped to what the published schema allows. */
export const exposeStatus = (
  kindId: string,
  status: string,
  vocabulary: StatusVocabulary,
): string => clamp(kindId, status, vocabulary, "order");

/** The `Status` of a payment in payment-details, clamped likewise. Source: C-07. */
export const exposeDetailStatus = (
  kindId: string,
  status: string,
  vocabulary: StatusVocabulary,
): string => clamp(kindId, status, vocabulary, "details");

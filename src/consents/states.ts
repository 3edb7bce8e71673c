import type { ConsentStatus } from "#src/standard/api-version.ts";

/** The events that can happen to a consent. */
export type ConsentEvent = "upload" | "authorise" | "reject" | "consume" | "revoke" | "expire";

/** The statuses in which a consent is created: it waits for its file, or for its customer. */
export type InitialStatus = Extract<ConsentStatus, "AWUP" | "AWAU">;

/** The statuses after an order: the consent is consumed, or stays authorised. */
type UsedStatus = Extract<ConsentStatus, "COND" | "AUTH">;

/** The status table of a consent: the next status for each status and event. */
type ConsentStates = Partial<
  Record<
    ConsentStatus,
    Partial<Record<Exclude<ConsentEvent, "consume">, ConsentStatus> & { consume: UsedStatus }>
  >
>;

/**
 * How often a consent can be used. `once`: its only order consumes it. `within limits`: it allows
 * any number of orders within its limits. `never`: it has no orders.
 */
type ConsentUse = "once" | "within limits" | "never";

/** The life cycle of consents of one kind. */
export type ConsentCourse<Use extends ConsentUse = ConsentUse> = {
  /** The status in which a consent is created. */
  initial: InitialStatus;
  states: ConsentStates;
  use: Use;
  /** Whether the customer may pause its orders. The bank's own pages list it as a permission. */
  mayPause: boolean;
  /** Whether it may be under a contract. After the contract's end, it cannot be authorised. */
  mayHaveContract: boolean;
  /** What the customer or the bank has done by stopping it, such as `stopped the access`. */
  stopping: string;
  /** The lifetime of a grant if the consent itself does not expire. */
  grantSeconds: number;
  /** Whether the TPP gets a refresh token with an access token. */
  refreshTokens: boolean;
};

const hour = 3600;
const tenYears = 10 * 365 * 86_400;

const paidOnce: ConsentStates = {
  AWAU: { authorise: "AUTH", reject: "RJCT" },
  AUTH: { consume: "COND" },
};

/** A consent to one payment or one standing order. Source: P-104…P-106, P-118, P-148. */
export const usedOnce: ConsentCourse<"once"> = {
  initial: "AWAU",
  states: paidOnce,
  use: "once",
  mayPause: false,
  mayHaveContract: false,
  stopping: "cancelled the payment",
  grantSeconds: hour,
  refreshTokens: false,
};

/** A consent that first waits for a file and then for its customer. Source: P-195, PC-02. */
export const usedOnceForFile: ConsentCourse<"once"> = {
  ...usedOnce,
  initial: "AWUP",
  states: { AWUP: { upload: "AWAU", reject: "RJCT" }, ...paidOnce },
};

/**
 * Account access. A customer who authorises again re-authenticates. A consent that expires before
 * it is authorised is rejected. Only a consent that a customer has authorised can become EXPD.
 * Source: A-103…A-111, V-061.
 */
export const accountAccess: ConsentCourse<"never"> = {
  initial: "AWAU",
  states: {
    AWAU: { authorise: "AUTH", reject: "RJCT", expire: "RJCT" },
    AUTH: { authorise: "AUTH", revoke: "CANC", expire: "EXPD" },
    CANC: { authorise: "AUTH", expire: "EXPD" },
  },
  use: "never",
  mayPause: false,
  mayHaveContract: false,
  stopping: "stopped the access",
  grantSeconds: tenYears,
  refreshTokens: true,
};

/**
 * A consent to confirmations of funds. Unlike access to accounts, it cannot be authorised again
 * after its customer has revoked it. Source: C-036…C-038.
 */
export const fundsConfirmation: ConsentCourse<"never"> = {
  ...accountAccess,
  states: {
    AWAU: { authorise: "AUTH", reject: "RJCT", expire: "RJCT" },
    AUTH: { authorise: "AUTH", revoke: "CANC", expire: "EXPD" },
  },
};

/**
 * A consent to payments within limits. Orders do not change its status, and its customer may revoke
 * and renew it. Source: VRP resource pages, Domestic VRP consents.
 */
export const usedWithinLimits: ConsentCourse<"within limits"> = {
  ...accountAccess,
  states: { ...accountAccess.states, AUTH: { ...accountAccess.states.AUTH, consume: "AUTH" } },
  use: "within limits",
  mayPause: true,
  mayHaveContract: true,
  stopping: "cancelled the payments",
};

/** Returns the status after an event, or null if that status does not allow the event. */
export const nextConsentStatus = (
  { states }: Pick<ConsentCourse, "states">,
  status: ConsentStatus,
  event: ConsentEvent,
): ConsentStatus | null => states[status]?.[event] ?? null;

/**
 * Returns the statuses that allow an event. The statement that writes the event checks for them.
 */
export function statusesBefore(
  { states }: Pick<ConsentCourse, "states">,
  event: ConsentEvent,
): ConsentStatus[] {
  const rows = Object.entries(states);
  return rows.filter(([, cells]) => cells[event]).map(([status]) => status as ConsentStatus);
}

/** Whether an order uses such a consent up. */
export const isUsedUpByOrder = ({ use }: Pick<ConsentCourse, "use">): boolean => use === "once";

/**
 * Returns the statuses that a consent can have after the order that used it up: the status after
 * the order, and those that can follow, such as EXPD. Empty if no order uses up such consents.
 */
export function usedUpStatuses(
  course: Pick<ConsentCourse, "states" | "use">,
): readonly ConsentStatus[] {
  const used = isUsedUpByOrder(course) ? statusAfter(course, "consume") : null;
  const found = new Set(used === null ? [] : [used]);
  // the iteration of a set also visits statuses that are added meanwhile
  for (const status of found) {
    for (const next of Object.values(course.states[status] ?? {})) found.add(next);
  }
  return [...found];
}

/** Returns the status after an event that leads to the same status from every status. */
export function statusAfter(
  course: Pick<ConsentCourse, "states">,
  event: ConsentEvent,
): ConsentStatus | null {
  const [status] = statusesBefore(course, event);
  return status === undefined ? null : nextConsentStatus(course, status, event);
}

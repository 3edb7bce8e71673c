import type { ConsentStatus } from "#src/standard/api-version.ts";

/** The events of a consent. */
export type ConsentEvent = "upload" | "authorise" | "reject" | "consume" | "revoke" | "expire";

/** The statuses of a consent, and where each event leads from each of them. */
export type ConsentStates = Partial<
  Record<ConsentStatus, Partial<Record<ConsentEvent, ConsentStatus>>>
>;

/**
 * How a consent is used up. `once`: its one order consumes it. `within limits`: it is good for any
 * number of orders, as far as its limits allow. `never`: no order belongs to it.
 */
export type ConsentUse = "once" | "within limits" | "never";

/** The course of a consent of one kind, from its creation to its end. */
export type ConsentCourse<Use extends ConsentUse = ConsentUse> = {
  states: ConsentStates;
  use: Use;
  /** How long a grant lives if the consent itself has no end. */
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

/** A consent to one payment, or one standing order. Source: P-104…P-106, P-118, P-148. */
export const usedOnce: ConsentCourse<"once"> = {
  states: paidOnce,
  use: "once",
  grantSeconds: hour,
  refreshTokens: false,
};

/** A consent that waits for a file before it waits for its customer. Source: P-195, C-02. */
export const usedOnceForFile: ConsentCourse<"once"> = {
  ...usedOnce,
  states: { AWUP: { upload: "AWAU", reject: "RJCT" }, ...paidOnce },
};

/** Access to accounts. To authorise again is to re-authenticate. Source: A-103…A-111. */
export const accountAccess: ConsentCourse<"never"> = {
  states: {
    AWAU: { authorise: "AUTH", reject: "RJCT" },
    AUTH: { authorise: "AUTH", revoke: "CANC", expire: "EXPD" },
    CANC: { authorise: "AUTH", expire: "EXPD" },
  },
  use: "never",
  grantSeconds: tenYears,
  refreshTokens: true,
};

/**
 * A consent to payments within limits: an order leaves it as it is, and its customer may withdraw
 * and renew it. Source: VRP resource pages, Domestic VRP Consents.
 */
export const usedWithinLimits: ConsentCourse<"within limits"> = {
  ...accountAccess,
  states: { ...accountAccess.states, AUTH: { ...accountAccess.states.AUTH, consume: "AUTH" } },
  use: "within limits",
};

/** The status after an event, or null if the event cannot happen to a consent in that status. */
export const nextConsentStatus = (
  { states }: Pick<ConsentCourse, "states">,
  status: ConsentStatus,
  event: ConsentEvent,
): ConsentStatus | null => states[status]?.[event] ?? null;

/** The statuses that an event may leave: the writing statement names them in its `where`. */
export function statusesBefore(
  { states }: Pick<ConsentCourse, "states">,
  event: ConsentEvent,
): ConsentStatus[] {
  const rows = Object.entries(states);
  return rows.filter(([, cells]) => cells[event]).map(([status]) => status as ConsentStatus);
}

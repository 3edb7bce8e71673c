import type { Change, HistoryFacts } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import type { EventName } from "#src/standard/shared/events/event-types.ts";
import type { EventFacts } from "./event-set.ts";

/** A kind of change that TPPs are notified of, and the event types of its SET in each format. */
type EventRule = {
  name: string;
  objectKind: Change["objectKind"];
  /**
   * Whether a change is this event. It is called only for changes that the TPP did not make itself.
   */
  isMadeBy(change: Pick<Change, "before" | "after" | "cause">): boolean;
  /**
   * The event types of the SET, by the format that the registration asks for. `own event` stands
   * for the type that only this kind of resource has for such changes; some kinds have none.
   * Source: EV-05, EV-12.
   */
  types: Readonly<Record<EventFormat, readonly (EventName | "own event")[]>>;
  /** The account that the event is about. Absent if the event is not about an account. */
  account?(change: Pick<Change, "objectId" | "before" | "after">): ChangedAccount;
};

type ChangedAccount = NonNullable<EventFacts["account"]>;

/**
 * The format of a TPP's SETs. `first`: callback URLs, versions up to 3.1.1, and subscriptions that
 * name only resource updates. `third`: later versions 3.x. `fourth`: 4.x. Source: EV-05.
 */
type EventFormat = "first" | "third" | "fourth";

const update = {
  first: ["resource-update"],
  third: ["resource-update"],
  fourth: ["resource-update"],
} as const;

/**
 * Statuses of a consent that the TPP does not learn when the customer returns to it. Source: EV-12,
 * EV-19.
 */
const ends: ReadonlySet<unknown> = new Set(["RJCT", "EXPD", "CANC", "COND"]);

// The code set defines it as an account that moves into or out of the scope of its consent. Only
// consents to access accounts cover several accounts, so only they can lose one.
const accountMoved = "account-access-consent-linked-account-update";

/** Returns the account of a consent that a change withdrew; undefined if it withdrew none. */
function newlyWithdrawn({ before, after }: Pick<Change, "before" | "after">): string | undefined {
  const earlier = withdrawnIn(before);
  return withdrawnIn(after).find((accountId) => !earlier.includes(accountId));
}

const withdrawnIn = (facts: HistoryFacts | null): string[] =>
  (facts?.withdrawn as string[] | undefined) ?? []; // an array of ids if there is one

/**
 * Every kind of event. A change becomes the event of the first row that it matches. The
 * authorisation of a consent is not an event, because the TPP learns of it when the customer
 * returns. Source: EV-07, EV-12, EV-18, EV-33.
 */
const eventRules: readonly EventRule[] = [
  {
    name: "access withdrawn at the bank",
    objectKind: "consent",
    isMadeBy: ({ before, after }) => before?.status === "AUTH" && after.status === "CANC",
    types: {
      first: ["resource-update"],
      third: ["consent-authorization-revoked", "own event"],
      fourth: ["resource-update", "consent-authorization-revoked", "own event"],
    },
  },
  {
    name: "consent ended",
    objectKind: "consent",
    isMadeBy: ({ before, after }) =>
      before !== null && before.status !== after.status && ends.has(after.status),
    types: update,
  },
  {
    name: "account withdrawn from a consent",
    objectKind: "consent",
    isMadeBy: (change) => newlyWithdrawn(change) !== undefined,
    types: { first: [], third: [accountMoved], fourth: [accountMoved] },
    account: (change) => ({
      accountId: present(newlyWithdrawn(change), "the withdrawn account"),
      change: "withdrawn",
    }),
  },
  {
    name: "account of a consent closed, blocked or open again",
    objectKind: "account",
    isMadeBy: () => true,
    types: { first: [], third: ["own event"], fourth: ["own event"] },
    account({ objectId, after }) {
      const closed = after.isSwitched === true ? "switched" : "closed";
      const usable = after.status === "Enabled" ? "open" : "blocked";
      return { accountId: objectId, change: after.status === "Deleted" ? closed : usable };
    },
  },
  {
    name: "order moved",
    objectKind: "order",
    isMadeBy: ({ before, after }) =>
      before !== null &&
      (before.status !== after.status || before.authorisation !== after.authorisation),
    types: update,
  },
];

/** Finds the rule for a change. Returns undefined if TPPs are not notified of the change. */
export const findRule = (
  change: Pick<Change, "objectKind" | "before" | "after" | "cause">,
): EventRule | undefined => {
  if (change.cause === "tpp" || change.after.deleted === true) return undefined;
  return eventRules.find((rule) => rule.objectKind === change.objectKind && rule.isMadeBy(change));
};

/** Returns the format that a registration asks for. Source: EV-04, EV-05. */
export function formatOf(registration: {
  form: "subscription" | "callback";
  version: string;
  namedTypes: readonly string[] | null;
  eventTypes: readonly EventName[];
}): EventFormat {
  const { form, version, namedTypes, eventTypes } = registration;
  if (form === "callback") return "first";
  if (namedTypes !== null && eventTypes.every((name) => name === "resource-update")) return "first";
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major >= 4) return "fourth";
  return minor > 1 || patch > 1 ? "third" : "first";
}

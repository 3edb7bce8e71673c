// The words of a history: what clients asked a bank, what they were told, and when. Amounts are
// pence, times are milliseconds on the clock of the recorder.

/** The limits of a consent, as its client asked for them. */
export type AskedLimits = {
  /** The largest single payment; null if the consent has none. */
  single: number | null;
  periods: readonly { type: string; alignment: string; amount: number }[];
  /** The first and the last day on which the consent may be used; null if that end is open. */
  from: string | null;
  to: string | null;
};

/** How often a consent may be used. */
export type Use = "once" | "within limits" | "never";

/** An event as a client received it. `body` is a hash of its bytes, `toe` the time in seconds. */
export type ArrivedEvent = { jti: string; subject: string; toe: number; body: string };

/** What the client did with an event. */
export type Settling = "accepted" | "refused";

/** An order as the bank has it in the end. */
export type KeptOrder = {
  orderId: string;
  consentId: string;
  status: string;
  amount: number | null;
  payments: string[];
  /** Whether the bank still has something to do about it. */
  isOpen: boolean;
};

/** A change of a consent or an order in the bank's history; `isOwn` if its client made it. */
export type KeptChange = { subject: string; sequence: number; status: string; isOwn: boolean };

/** Money that was moved for a payment. */
export type Movement = { paymentId: string; amount: number };

/** Each operation, with what its caller says and what the answer tells. */
export type Operations = {
  lodge: {
    asked: {
      kind: string;
      use: Use;
      amount: number | null;
      limits: AskedLimits | null;
      /** When access to accounts ends. */
      ends?: string;
    };
    told: { consentId: string; status: string; created: string };
  };
  /** The customer's decision about a consent. */
  decide: { asked: { consentId: string; approves: boolean }; told: object };
  /** `by` is the code or the refresh token; tokens are hashes. */
  token: {
    asked: { grant: string; by: string | null };
    told: { token: string; consentId: string | null; seconds: number };
  };
  order: {
    asked: {
      kind: string;
      consentId: string;
      key: string;
      amount: number | null;
      token: string | null;
    };
    told: { orderId: string; status: string; created: string };
  };
  readOrder: { asked: { orderId: string; token: string | null }; told: { status: string } };
  readConsent: { asked: { consentId: string; token: string | null }; told: { status: string } };
  /** Account data or a confirmation of funds: what only a customer's consent opens. */
  readData: {
    asked: { resource: string; token: string | null };
    /** For transactions, the time of the first one on the page, which is the newest. */
    told: { newest?: string };
  };
  /** The core delivers a transaction of an account, which is its newest. */
  deliver: { asked: { accountId: string; at: string }; told: object };
  /** The end of a consent, by its client or its customer. */
  revoke: { asked: { consentId: string }; told: object };
  revokeToken: { asked: { token: string }; told: object };
  subscribe: { asked: object; told: object };
  poll: { asked: { settles: Record<string, Settling> }; told: { events: ArrivedEvent[] } };
  /** An event that the bank sent, and the client's answer. */
  arrive: { asked: { event: ArrivedEvent; settling: Settling | null }; told: object };
  /** The bank's clock is moved; until then, it is the recorder's. */
  moveClock: { asked: object; told: object };
  /** Final reads, by somebody who sees the books. First: all orders of the client. */
  keptOrders: { asked: object; told: { orders: KeptOrder[] } };
  /** All changes of the client's consents and orders, in their order. */
  keptChanges: { asked: object; told: { changes: KeptChange[] } };
  /**
   * All movements of money for the client's payments, positive if it left the payer's account, and
   * the payments for which money is held. `paidIds`: the end-to-end ids of all payments that the
   * core has made for the client, if it gives each order an id of its own.
   */
  books: { asked: object; told: { movements: Movement[]; held: string[]; paidIds?: string[] } };
  account: {
    asked: { accountId: string };
    told: { opening: number; entries: number[]; closing: number };
  };
  /** All events of the client, in the sequence of the changes that they report. */
  keptEvents: {
    asked: object;
    told: { events: { jti: string; subject: string; sequence: number; state: string }[] };
  };
};

/** The name of an operation. */
export type OperationName = keyof Operations;

/** Why a request was refused: the status, and the codes of its errors. */
export type Reasons = { status: number; codes: string[] };

/**
 * How a call ended. `unknown`: no answer came back, or one that leaves open what has happened, such
 * as 503. What was asked may then happen at any later time, so such a call has no end.
 */
export type Ending<Name extends OperationName> =
  | { outcome: "ok"; told: Operations[Name]["told"] }
  | { outcome: "refused"; reasons: Reasons }
  | { outcome: "unknown" };

/** One call: when it was sent and answered, by whom, what it asked and how it ended. */
export type Call<Name extends OperationName = OperationName> = {
  [N in Name]: {
    operation: N;
    /** The TPP, as the bank knows it. */
    client: string;
    asked: Operations[N]["asked"];
    start: number;
    end: number;
    /** The lines of the history that say so. */
    lines: number[];
  } & Ending<N>;
}[Name];

/** A call with an answer that says yes. */
export type Done<Name extends OperationName> = Extract<Call<Name>, { outcome: "ok" }>;

/** What a judge asks of a history. */
export class Calls {
  readonly all: readonly Call[];
  readonly #byName: ReadonlyMap<OperationName, Call[]>;

  constructor(calls: readonly Call[]) {
    this.all = calls;
    this.#byName = Map.groupBy(calls, ({ operation }) => operation);
  }

  /** Returns the calls of an operation, in the order in which they were sent. */
  of<Name extends OperationName>(name: Name): Call<Name>[] {
    return (this.#byName.get(name) ?? []) as unknown as Call<Name>[]; // grouped by the name
  }

  /** Returns the calls of an operation whose answer says yes. */
  done<Name extends OperationName>(name: Name): Done<Name>[] {
    return this.of(name).filter((call) => call.outcome === "ok") as Done<Name>[];
  }
}

type Interval = Pick<Call, "start" | "end">;

/** Whether a call had its answer before the other was sent. Otherwise they may be in any order. */
export const isBefore = (one: Interval, other: Interval): boolean => one.end < other.start;

/** Whether a call may have taken effect: it was not refused. */
export const mayHaveHappened = ({ outcome }: Pick<Call, "outcome">): boolean =>
  outcome !== "refused";

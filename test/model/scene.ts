import type {
  AskedLimits,
  Call,
  Ending,
  KeptOrder,
  Movement,
  OperationName,
  Operations,
} from "./calls.ts";

/** When a call was sent and answered, and by whom. Without it, calls follow one another. */
type When = { start?: number; end?: number; client?: string };

const day = "2027-03-01T10:00:00Z";
// a refusal has no day but that of the recorder's clock
const startOfTime = Temporal.Instant.from(day).epochMilliseconds;

/** A history that a test writes by hand. */
export class Scene {
  readonly calls: Call[] = [];
  #time = 0;

  /** The time of the next call. */
  get time(): number {
    return this.#time;
  }

  add<Name extends OperationName>(
    operation: Name,
    asked: Operations[Name]["asked"],
    ending: Ending<Name>,
    { start = this.#time + 1, end = start + 1, client = "tpp" }: When = {},
  ): this {
    this.#time = Math.max(this.#time, Number.isFinite(end) ? end : start);
    const isOpen = ending.outcome === "unknown";
    const times = { start: startOfTime + start, end: isOpen ? Infinity : startOfTime + end };
    const call = { operation, client, asked, ...times, lines: [this.calls.length + 1], ...ending };
    this.calls.push(call as Call); // its parts belong to one operation
    return this;
  }

  ok<Name extends OperationName>(
    operation: Name,
    asked: Operations[Name]["asked"],
    told: Operations[Name]["told"],
    when?: When,
  ): this {
    return this.add(operation, asked, { outcome: "ok", told } as Ending<Name>, when);
  }

  refused<Name extends OperationName>(
    operation: Name,
    asked: Operations[Name]["asked"],
    status: number,
    when?: When,
    codes: string[] = [],
  ): this {
    const reasons = { status, codes };
    return this.add(operation, asked, { outcome: "refused", reasons } as Ending<Name>, when);
  }

  unknown<Name extends OperationName>(
    operation: Name,
    asked: Operations[Name]["asked"],
    when?: When,
  ): this {
    return this.add(operation, asked, { outcome: "unknown" } as Ending<Name>, when);
  }

  /** A consent to one payment of 500 pence, which its client lodges. */
  lodge(consentId: string, when?: When): this {
    const asked = { kind: "domestic-payment", use: "once", amount: 500, limits: null } as const;
    return this.ok("lodge", asked, { consentId, status: "AWAU", created: day }, when);
  }

  /** A consent to payments within limits: 500 pence each and 1,000 in a month of the consent. */
  lodgeVrp(consentId: string, limits: Partial<AskedLimits> = {}): this {
    const asked = {
      kind: "domestic-vrp",
      use: "within limits",
      amount: null,
      limits: {
        single: 500,
        periods: [{ type: "Month", alignment: "Consent", amount: 1000 }],
        from: null,
        to: null,
        ...limits,
      },
    } as const;
    return this.ok("lodge", asked, { consentId, status: "AWAU", created: day });
  }

  decide(consentId: string, approves = true, when?: When): this {
    return this.ok("decide", { consentId, approves }, {}, when);
  }

  /** A consent to one payment that its customer has approved. */
  approved(consentId: string): this {
    return this.lodge(consentId).decide(consentId);
  }

  /** What an order asks. */
  asking(consentId: string, key: string, amount = 500): Operations["order"]["asked"] {
    return { kind: "domestic-payment", consentId, key, amount, token: null };
  }

  order(
    consentId: string,
    { key = `key of ${consentId}`, orderId = `order of ${consentId}`, ...rest }: Ordered = {},
    when?: When,
  ): this {
    const { amount = 500, status = "PDNG", created = day } = rest;
    const told = { orderId, status, created };
    return this.ok("order", this.asking(consentId, key, amount), told, when);
  }

  readOrder(orderId: string, status: string, when?: When): this {
    return this.ok("readOrder", { orderId, token: null }, { status }, when);
  }

  /** The orders that the bank has in the end: settled ones of 500 pence, unless said otherwise. */
  kept(...orders: (Pick<KeptOrder, "orderId" | "consentId"> & Partial<KeptOrder>)[]): this {
    const whole = orders.map((one) => ({
      status: "ACCC",
      amount: 500,
      payments: [`payment of ${one.orderId}`],
      isOpen: false,
      ...one,
    }));
    return this.ok("keptOrders", {}, { orders: whole });
  }

  books(movements: Movement[] = [], held: string[] = []): this {
    return this.ok("books", {}, { movements, held });
  }

  /** Access to accounts that a customer has approved, with a token `token of ID`. */
  access(consentId: string, ends?: string): this {
    const none = { amount: null, limits: null, ...(ends === undefined ? {} : { ends }) };
    const asked = { kind: "account-access", use: "never", ...none } as const;
    this.ok("lodge", asked, { consentId, status: "AWAU", created: day }).decide(consentId);
    return this.token(consentId);
  }

  token(consentId: string, code = `code of ${consentId}`, when?: When): this {
    const told = { token: `token of ${consentId}`, consentId, seconds: 300 };
    return this.ok("token", { grant: "authorization_code", by: code }, told, when);
  }

  read(consentId: string, when?: When): this {
    return this.ok("readData", this.reading(consentId), {}, when);
  }

  /** A page of transactions of which the newest is at this second. */
  page(consentId: string, second: number, when?: When): this {
    const asked = { ...this.reading(consentId), resource: "/accounts/acc-1/transactions" };
    return this.ok("readData", asked, { newest: atSecond(second) }, when);
  }

  deliver(second: number, when?: When): this {
    return this.ok("deliver", { accountId: "acc-1", at: atSecond(second) }, {}, when);
  }

  reading(consentId: string): Operations["readData"]["asked"] {
    return { resource: "/accounts", token: `token of ${consentId}` };
  }

  poll(jtis: readonly string[], { settles = [], subject = "order", when }: Polled = {}): this {
    const events = jtis.map((jti) => ({ jti, subject, toe: 0, body: `body of ${jti}` }));
    const asked = { settles: Object.fromEntries(settles.map((jti) => [jti, "accepted" as const])) };
    return this.ok("poll", asked, { events }, when);
  }

  /** The history of one order or consent: the statuses that it has had. */
  keptChanges(subject: string, ...statuses: string[]): this {
    const changes = statuses.map((status, sequence) => ({
      subject,
      sequence,
      status,
      isOwn: sequence === 0,
    }));
    return this.ok("keptChanges", {}, { changes });
  }

  /** The events that the bank has in the end, in this order, all about one order. */
  keptEvents(jtis: readonly string[], state = "accepted", sequences = [...jtis.keys()]): this {
    const events = jtis.map((jti, index) => {
      return { jti, subject: "order", sequence: sequences[index] ?? index, state };
    });
    return this.ok("keptEvents", {}, { events });
  }
}

const atSecond = (second: number): string => `2027-03-01T09:00:0${second}+00:00`;

type Ordered = {
  key?: string;
  orderId?: string;
  amount?: number;
  status?: string;
  created?: string;
};
type Polled = { settles?: readonly string[]; subject?: string; when?: When };

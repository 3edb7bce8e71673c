import type { ArrivedEvent, Ending, KeptOrder, Operations } from "./calls.ts";
import { periodOf } from "./periods.ts";

// A bank of a few lines that does one thing at a time, and so is correct. The judge's own tests
// record concurrent histories of it, with a planted fault and without.

/** What can be planted. */
export const plantedFaults = [
  "limits are read before the order is written",
  "keys are not stored",
  "consents are not used up",
  "revocations are not checked by reads",
  "revocations are not checked by orders",
  "codes are exchanged again",
  "orders are acknowledged and not stored",
  "payments are made again",
  "payments get a drawn id",
  "statuses go back",
  "events are lost",
  "events overtake each other",
  "events return after they were settled",
  "balances are rounded",
] as const;

/** The name of a planted fault. */
export type PlantedFault = (typeof plantedFaults)[number];

type Consent = {
  client: string;
  consentId: string;
  use: "once" | "within limits" | "never";
  status: string;
  created: string;
};
type StoredOrder = KeptOrder & { client: string; key: string; created: string; amount: number };
type Event = ArrivedEvent & { client: string; sequence: number; state: string };

const steps = ["PDNG", "ACTC", "ACCP", "ACFC", "ACSP", "ACSC", "ACCC"];
const no = (status: number, ...codes: string[]) =>
  ({ outcome: "refused", reasons: { status, codes } }) as const;

/** The limit of each consent to several payments. */
export const monthly = { type: "Week", alignment: "Consent", amount: 1500 };
/** The opening balance of the one account. */
export const opening = 1_000_000;

/** The bank. `below` draws a number below its argument. */
export class ReferenceBank {
  readonly orders: StoredOrder[] = [];
  readonly movements: { paymentId: string; amount: number }[] = [];
  readonly events: Event[] = [];
  readonly #consents = new Map<string, Consent>();
  readonly #tokens = new Map<string, string>();
  readonly #codes = new Set<string>();
  readonly #fault: PlantedFault | null;
  readonly #below: (limit: number) => number;
  #count = 0;

  constructor(fault: PlantedFault | null, below: (limit: number) => number) {
    this.#fault = fault;
    this.#below = below;
  }

  #has(fault: PlantedFault): boolean {
    return this.#fault === fault && this.#below(3) > 0;
  }

  #id(name: string): string {
    this.#count += 1;
    return `${name}${this.#count}`;
  }

  lodge(client: string, use: Consent["use"], created: string): Ending<"lodge"> {
    const consentId = this.#id("c");
    this.#consents.set(consentId, { client, consentId, use, status: "AWAU", created });
    return { outcome: "ok", told: { consentId, status: "AWAU", created } };
  }

  decide(consentId: string, approves: boolean): Ending<"decide"> {
    const consent = this.#consents.get(consentId);
    if (consent?.status !== "AWAU") return no(400);
    consent.status = approves ? "AUTH" : "RJCT";
    return { outcome: "ok", told: {} };
  }

  token(code: string, consentId: string): Ending<"token"> {
    const isUsed = this.#codes.has(code) && !this.#has("codes are exchanged again");
    if (isUsed || this.#consents.get(consentId)?.status !== "AUTH") return no(400);
    this.#codes.add(code);
    const token = this.#id("t");
    this.#tokens.set(token, consentId);
    return { outcome: "ok", told: { token, consentId, seconds: 1e9 } };
  }

  /** What the orders of a consent leave of its limit at a time. */
  left(consentId: string, at: string): number {
    const anchor = this.#consents.get(consentId)?.created.slice(0, 10) ?? "";
    const period = (time: string) => periodOf(monthly, anchor, time.slice(0, 10)).first;
    return this.orders
      .filter((one) => one.consentId === consentId && one.status !== "RJCT")
      .filter(({ created }) => period(created) === period(at))
      .reduce((left, { amount }) => left - amount, monthly.amount);
  }

  order(
    client: string,
    { consentId, key, amount }: Operations["order"]["asked"],
    created: string,
    leftBefore: number,
  ): Ending<"order"> {
    const same = this.orders.find((one) => one.client === client && one.key === key);
    if (same && !this.#has("keys are not stored")) {
      return {
        outcome: "ok",
        told: { orderId: same.orderId, status: same.status, created: same.created },
      };
    }
    const consent = this.#consents.get(consentId);
    const isStopped =
      consent?.status === "CANC" && !this.#has("revocations are not checked by orders");
    if (!consent || isStopped) return no(403);
    if (consent.status !== "AUTH" && consent.status !== "CANC") return no(400, "U009");
    const asked = amount ?? 0;
    if (consent.use === "within limits") {
      const isRead = this.#has("limits are read before the order is written");
      if (asked > (isRead ? leftBefore : this.left(consentId, created))) return no(400, "U014");
    }
    const status = this.#below(8) === 0 && consent.use === "once" ? "RJCT" : "RCVD";
    const orderId = this.#id("o");
    const order = { client, key, orderId, consentId, status, amount: asked, created };
    if (consent.use === "once" && !this.#has("consents are not used up")) consent.status = "COND";
    if (!this.#has("orders are acknowledged and not stored")) {
      this.orders.push({ ...order, payments: [`p of ${orderId}`], isOpen: false });
    }
    return { outcome: "ok", told: { orderId, status, created } };
  }

  readOrder(orderId: string): Ending<"readOrder"> {
    const order = this.orders.find((one) => one.orderId === orderId);
    return order ? { outcome: "ok", told: { status: order.status } } : no(400);
  }

  readConsent(consentId: string): Ending<"readConsent"> {
    const consent = this.#consents.get(consentId);
    return consent ? { outcome: "ok", told: { status: consent.status } } : no(400);
  }

  readData(token: string): Ending<"readData"> {
    const consent = this.#consents.get(this.#tokens.get(token) ?? "");
    const isOpen = consent?.status === "AUTH" || this.#has("revocations are not checked by reads");
    return isOpen ? { outcome: "ok", told: {} } : no(403);
  }

  revoke(consentId: string): Ending<"revoke"> {
    const consent = this.#consents.get(consentId);
    if (consent?.status !== "AUTH") return no(400);
    consent.status = "CANC";
    return { outcome: "ok", told: {} };
  }

  poll(client: string, settles: Operations["poll"]["asked"]["settles"]): Ending<"poll"> {
    const its = this.events.filter((one) => one.client === client);
    for (const event of its) event.state = settles[event.jti] ?? event.state;
    const isOpen = (event: Event) => event.state === "waiting";
    const open = its.filter(
      (event) =>
        (isOpen(event) || this.#has("events return after they were settled")) &&
        (this.#has("events overtake each other") ||
          !its.some(
            (one) => isOpen(one) && one.subject === event.subject && one.sequence < event.sequence,
          )),
    );
    const events = open.map(({ jti, subject, toe, body }) => ({ jti, subject, toe, body }));
    return { outcome: "ok", told: { events } };
  }

  /** Moves an order one status on, or rejects it. Moves its money when it is settled. */
  work(at: number): void {
    const open = this.orders.filter(({ status }) => !["ACCC", "RJCT"].includes(status));
    const order = open[this.#below(Math.max(1, open.length))];
    if (!order) return;
    const next = this.#has("statuses go back")
      ? steps[this.#below(steps.length)]
      : steps[steps.indexOf(order.status) + 1];
    const isRejected = order.status === "ACCP" && this.#below(4) === 0;
    if (next === order.status) return;
    order.status = isRejected ? "RJCT" : (next ?? "ACCC");
    if (order.status === "ACSC") this.#pay(order);
    if (this.#has("events are lost")) return;
    const { client, orderId: subject } = order;
    const jti = this.#id("e");
    const sequence = this.#count;
    this.events.push({ client, jti, subject, toe: at, body: jti, sequence, state: "waiting" });
  }

  #pay({ payments, amount }: StoredOrder): void {
    const [paymentId = ""] = payments;
    this.movements.push({ paymentId, amount });
    if (this.#has("payments are made again")) this.movements.push({ paymentId, amount });
    if (this.#has("payments get a drawn id")) {
      this.movements.push({ paymentId: this.#id("drawn"), amount });
    }
  }

  /** The closing balance of the one account. */
  closing(): number {
    const sum = this.movements.reduce((left, { amount }) => left - amount, opening);
    return this.#has("balances are rounded") ? Math.round(sum / 1000) * 1000 + 1 : sum;
  }
}

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { prepareOrders, type ReadyOrder } from "#bench/lib/prepare-orders.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppBank } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { Database } from "#src/storage/database.ts";
import {
  hasDuePayments,
  type OrderWithPayment,
  readOrdersOf,
} from "#test/payments/stored-orders.ts";
import { postingsOf } from "#test/sandbox/stored-ledger.ts";
import { patienceMs } from "#test/until.ts";
import { callControl } from "./fuzz/world.ts";

/** Signed orders for banks that may die. Each order is sent until it has a final response. */
export type OrderStream = {
  /** The TPP that sends the orders. */
  client: TppClient;
  /** Returns how many orders a bank has acknowledged so far. */
  acknowledged(): number;
  /** Counts each status; `none` is a broken connection. */
  answers: Map<string, number>;
  /** Responses without an explanation. */
  faults: ReadonlySet<string>;
  /** Sends no more orders, and waits until those in progress have responses. */
  finish(): Promise<void>;
  /** Lists orders that the database lost, has twice, or has without a response. */
  audit(database: Database): Promise<string[]>;
};

/** How many orders are sent, how many at a time, and the pause between them. */
export type StreamOptions = { orders: number; lanes?: number; pauseMs?: number };

/** Stores authorised consents and starts to submit their orders to the banks in turn. */
export async function startOrders(
  banks: readonly TppBank[],
  database: Database,
  { orders, lanes = 6, pauseMs = 25 }: StreamOptions,
): Promise<OrderStream> {
  const [issuer = { publicUrl: "", mtlsUrl: "", operations: [] }] = banks;
  type CreateTpp = Parameters<typeof prepareOrders>[1]["createTpp"];
  const createTpp: CreateTpp = (request) => callControl(issuer, "POST", "/tpps", request);
  const prepared = await prepareOrders(database, { createTpp }, { orders, bound: false });
  const client = new TppClient(issuer, {
    ...prepared.tpp,
    redirectUris: ["http://localhost:7878/callback"],
    tokenEndpointAuthMethod: "private_key_jwt",
    certificateBound: false,
  });
  const acknowledged = new Map<string, string>();
  const begun = new Set<string>();
  const answers = new Map<string, number>();
  const faults = new Set<string>();
  let open = true;
  let turn = 0;

  async function submit({ consentId, token, body }: ReadyOrder): Promise<void> {
    const key = randomUUID();
    begun.add(consentId);
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const { publicUrl = "" } = banks[turn++ % banks.length] ?? {};
      const path = `${publicUrl}/api/open-banking/v4.0/pisp/domestic-payments`;
      const answer = await client
        .call<{ Data: { DomesticPaymentId: string } }>({ path, token, body, idempotencyKey: key })
        .catch(() => null);
      const name = answer ? String(answer.status) : "none";
      answers.set(name, (answers.get(name) ?? 0) + 1);
      if (answer?.status === 201) {
        acknowledged.set(consentId, answer.body.Data.DomesticPaymentId);
        return;
      }
      if (answer?.status === 503 && !answer.headers["retry-after"]) {
        faults.add("503 without Retry-After");
      }
      if (answer && answer.status >= 500 && answer.status !== 503) {
        const text = answer.raw.toString().replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "…");
        faults.add(`an order was answered ${answer.status} ${text}`);
      }
      // a response that no outage causes is final
      if (answer && answer.status < 500) {
        faults.add(`${consentId}: ${answer.status} ${answer.raw}`);
        return;
      }
      if (performance.now() > deadline) {
        faults.add(`${consentId} was not answered in ${patienceMs / 1000} s`);
        return;
      }
      await delay(200);
    }
  }
  async function lane(): Promise<void> {
    for (let next = prepared.orders.pop(); next && open; next = prepared.orders.pop()) {
      await submit(next);
      await delay(pauseMs);
    }
  }
  const running = Promise.all(Array.from({ length: lanes }, lane));
  return {
    client,
    acknowledged: () => acknowledged.size,
    answers,
    faults,
    async finish() {
      open = false;
      await running;
      client.close();
    },
    audit: (on) => audit(on, acknowledged, begun, client.tpp.clientId),
  };
}

type Counted = {
  consentId: string;
  orderId: string;
  status: string;
  /** How many payments the order has. */
  payments: number;
  /** How often money left the payer's account for it. */
  out: number;
};

/** Counts the payments of each order, and the postings that made them. */
export async function ordersPaid(
  database: Database,
  rows: readonly OrderWithPayment[],
): Promise<Counted[]> {
  const ids = rows.flatMap(({ paymentId }) => paymentId ?? []);
  const paid = (await postingsOf(database, ids)).filter(({ purpose }) => purpose === "payment");
  return [...Map.groupBy(rows, ({ orderId }) => orderId).values()].map((its) => {
    const [{ consentId, orderId, status }] = its as [OrderWithPayment];
    const made = its.flatMap(({ paymentId }) => paymentId ?? []);
    const out = paid.filter(({ paymentId }) => made.some((id) => id === paymentId)).length;
    return { consentId, orderId, status, payments: made.length, out };
  });
}

async function audit(
  database: Database,
  acknowledged: ReadonlyMap<string, string>,
  begun: ReadonlySet<string>,
  clientId: string,
): Promise<string[]> {
  const orders = await ordersPaid(database, await readOrdersOf(database, { clientId }));
  const faults: string[] = [];
  const found = new Map<string, Counted[]>();
  for (const order of orders) {
    found.set(order.consentId, [...(found.get(order.consentId) ?? []), order]);
    if (!begun.has(order.consentId)) faults.push(`${order.orderId} was never sent`);
    if (order.payments !== 1) faults.push(`${order.orderId} has ${order.payments} payments`);
    if (order.out > 1) faults.push(`${order.orderId} was paid ${order.out} times`);
    const settled = order.status === "ACCC" || order.status === "ACSC";
    if (settled && order.out !== 1) faults.push(`${order.orderId} is settled and was not paid`);
  }
  for (const [consentId, orderId] of acknowledged) {
    const its = found.get(consentId) ?? [];
    if (its.length === 0) faults.push(`${orderId} was acknowledged and is lost`);
    if (its.length > 1) faults.push(`${consentId} has ${its.length} orders`);
    if (its.some((order) => order.orderId !== orderId)) {
      faults.push(`${orderId} was acknowledged and the order is ${its[0]?.orderId}`);
    }
  }
  return faults;
}

/** Waits until the engines have nothing to do. Returns false if they still have after that time. */
export async function untilSettled(database: Database, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    if (!(await hasDuePayments(database))) return true;
    if (performance.now() > deadline) return false;
    await delay(200);
  }
}

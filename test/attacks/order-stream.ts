import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { prepareOrders, type ReadyOrder } from "#bench/lib/prepare-orders.ts";
import type { TppBank } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { Database } from "#src/storage/database.ts";
import type { History } from "#test/model/history.ts";
import { hashOf, readRequest } from "#test/model/read-call.ts";
import { RecordingTpp } from "#test/model/recording-tpp.ts";
import { hasDuePayments } from "#test/payments/stored-orders.ts";
import { patienceMs } from "#test/until.ts";
import { callControl } from "./fuzz/world.ts";

/** Signed orders for banks that may die. Each order is sent until it has a final response. */
export type OrderStream = {
  /** The TPP that sends the orders. */
  client: RecordingTpp;
  /** Returns how many orders a bank has acknowledged so far. */
  acknowledged(): number;
  /** Counts each status; `none` is a broken connection. */
  answers: Map<string, number>;
  /** Responses without an explanation. */
  faults: ReadonlySet<string>;
  /** Sends no more orders, and waits until those in progress have responses. */
  finish(): Promise<void>;
};

/** How many orders are sent, how many at a time, and the pause between them. */
export type StreamOptions = {
  orders: number;
  lanes?: number;
  pauseMs?: number;
  /** Where the calls are recorded. */
  history: History;
  /** Stores the consents; by default, as this version does. */
  prepare?: typeof prepareOrders;
  /**
   * Registers the TPP, whose orders then go over mutual TLS. By default, the first bank does, on
   * its own machine, and the orders go to the listener for browsers.
   */
  createTpp?: CreateTpp;
};

type CreateTpp = Parameters<typeof prepareOrders>[1]["createTpp"];

const paths = { consents: "/domestic-payment-consents", orders: "/domestic-payments" };
const api = "/api/open-banking/v4.0/pisp";

/** Stores authorised consents and starts to submit their orders to the banks in turn. */
export async function startOrders(
  banks: readonly TppBank[],
  database: Database,
  { orders, lanes = 6, pauseMs = 25, history, createTpp, prepare = prepareOrders }: StreamOptions,
): Promise<OrderStream> {
  const [issuer = { publicUrl: "", mtlsUrl: "", operations: [] }] = banks;
  const bound = createTpp !== undefined;
  const atBank: CreateTpp = (request) => callControl(issuer, "POST", "/tpps", request);
  const preparedAt = performance.now();
  const directory = { createTpp: createTpp ?? atBank };
  const prepared = await prepare(database, directory, { orders, bound });
  const credentials = {
    ...prepared.tpp,
    redirectUris: ["http://localhost:7878/callback"],
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: bound,
  };
  const client = new RecordingTpp(issuer, credentials, history);
  let acknowledged = 0;
  const answers = new Map<string, number>();
  const faults = new Set<string>();
  let open = true;
  let turn = 0;

  async function submit(order: ReadyOrder): Promise<void> {
    notePrepared(client, order, 3600 - (performance.now() - preparedAt) / 1000);
    const { consentId, token, body } = order;
    const key = randomUUID();
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const { publicUrl, mtlsUrl } = banks[turn++ % banks.length] ?? issuer;
      const path = `${bound ? mtlsUrl : publicUrl}${api}${paths.orders}`;
      const answer = await client
        .call({ path, token, body, idempotencyKey: key })
        .catch(() => null);
      const name = answer ? String(answer.status) : "none";
      answers.set(name, (answers.get(name) ?? 0) + 1);
      if (answer?.status === 201) acknowledged += 1;
      // the judge of the history says whether a refusal was due
      if (answer && answer.status < 500) return;
      if (answer?.status === 503 && !answer.headers["retry-after"]) {
        faults.add("503 without Retry-After");
      }
      if (answer && answer.status !== 503) {
        const text = answer.raw.toString().replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "…");
        faults.add(`an order was answered ${answer.status} ${text}`);
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
    acknowledged: () => acknowledged,
    answers,
    faults,
    async finish() {
      open = false;
      await running;
      client.close();
    },
  };
}

/** Notes what an order needs and the database was given: a consent, its approval and its token. */
export function notePrepared(
  { history, tpp }: RecordingTpp,
  { consentId, token, body }: ReadyOrder,
  seconds: number,
): void {
  const consent = { method: "POST", url: `${api}${paths.consents}`, token: null, key: null, body };
  const lodging = readRequest(consent);
  if (lodging?.operation !== "lodge") throw new Error("the order of a stream has a consent");
  const created = Temporal.Now.instant().toString();
  const { clientId } = tpp;
  history.note(clientId, "lodge", lodging.asked, { consentId, status: "AWAU", created });
  history.note(clientId, "decide", { consentId, approves: true }, {});
  const told = { token: hashOf(token), consentId, seconds };
  history.note(clientId, "token", { grant: "authorization_code", by: null }, told);
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

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { prepareJourney, runJourney } from "./journey-load-process.ts";
import {
  type Arrival,
  type Arrived,
  arrivals,
  type OpenLoad,
  type OpenLoadResult,
  type OpenRun,
} from "./open-load.ts";
import { RawRequests } from "./raw-requests.ts";

// Requests arrive at random times with a fixed mean rate (a Poisson process), as those of many TPPs
// do. None waits for the answer to another, so a bank that falls behind is not spared.

/** How long the last arrivals of a run may take, in milliseconds. */
const patience = 10_000;

type Act = () => Promise<void>;

/** The latencies of arrivals, in milliseconds, and the errors of the failed ones. */
class Tally {
  readonly #latencies: number[] = [];
  readonly #failures: string[] = [];
  readonly #answeredAt: number[] = [];

  async count(dueAt: number, act: Act): Promise<void> {
    try {
      await act();
      const now = performance.now();
      this.#latencies.push(now - dueAt);
      this.#answeredAt.push(now);
    } catch (error) {
      this.#failures.push((error as Error).message);
    }
  }

  result(): Arrived {
    const sorted = this.#latencies.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
    return {
      answered: sorted.length,
      failed: this.#failures.length,
      firstFailure: this.#failures[0] ?? null,
      p50: at(0.5),
      p99: at(0.99),
      silence: this.#answeredAt.reduce(
        (longest, time, index, all) => Math.max(longest, time - (all[index - 1] ?? time)),
        0,
      ),
    };
  }
}

class Sender {
  readonly #load: OpenLoad;
  readonly #pools: RawRequests[];
  readonly #readers: TppClient[];
  readonly #payers: TppClient[];
  readonly #collectors: TppClient[];
  /** Customers without a journey in progress. */
  readonly #customers: OpenLoad["payer"]["customers"][number][];
  readonly #forCustomer: PromiseWithResolvers<void>[] = [];
  #turn = 0;
  #acknowledged = 0;
  #unanswered = 0;

  constructor(load: OpenLoad) {
    this.#load = load;
    const { processes, connections, addresses, reader, payer, collector } = load;
    this.#pools = processes.map(
      ({ publicUrl }) => new RawRequests(Number(new URL(publicUrl).port), connections, addresses),
    );
    const clients = (tpp: TppCredentials): TppClient[] =>
      processes.map((address) => new TppClient({ ...address, operations: [] }, tpp));
    this.#readers = clients(reader.tpp);
    this.#payers = clients(payer.tpp);
    this.#collectors = clients({
      ...collector.tpp,
      redirectUris: [],
      tokenEndpointAuthMethod: "private_key_jwt",
      certificateBound: false,
    });
    this.#customers = [...payer.customers];
  }

  async run({ warmUpSeconds, seconds, ...rates }: OpenRun): Promise<OpenLoadResult> {
    const startedAt = performance.now();
    const countedFrom = startedAt + warmUpSeconds * 1000;
    const until = countedFrom + seconds * 1000;
    const tallies: Record<Arrival, Tally> = {
      reads: new Tally(),
      refreshes: new Tally(),
      journeys: new Tally(),
      orders: new Tally(),
    };
    const acts: Record<Arrival, Act> = {
      reads: () => this.#read(),
      refreshes: () => this.#refresh(),
      journeys: () => this.#pay(),
      orders: () => this.#collect(),
    };
    const { user, system } = process.cpuUsage();
    this.#acknowledged = 0;
    const arrive = async (kind: Arrival): Promise<void> => {
      const gap = 1000 / rates[kind];
      const uncounted = new Tally();
      for (let dueAt = startedAt; ; ) {
        dueAt -= Math.log(1 - Math.random()) * gap;
        if (!(dueAt < until)) return;
        const wait = dueAt - performance.now();
        if (wait > 0) await delay(wait);
        this.#unanswered += 1;
        const tally = dueAt < countedFrom ? uncounted : tallies[kind];
        void tally.count(dueAt, acts[kind]).then(() => (this.#unanswered -= 1));
      }
    };
    await Promise.all(arrivals.map(arrive));
    await this.#untilAnswered();
    const used = process.cpuUsage({ user, system });
    const result: OpenLoadResult = {
      reads: tallies.reads.result(),
      refreshes: tallies.refreshes.result(),
      journeys: tallies.journeys.result(),
      orders: tallies.orders.result(),
      unanswered: this.#unanswered,
      acknowledged: this.#acknowledged,
      cpuSeconds: (used.user + used.system) / 1e6,
    };
    await this.#giveUp();
    return result;
  }

  async #untilAnswered(): Promise<void> {
    const givenUpAt = performance.now() + patience;
    while (this.#unanswered > 0 && performance.now() < givenUpAt) await delay(20);
  }

  /** Gives up what has not been sent, so that the next run does not begin with it. */
  async #giveUp(): Promise<void> {
    for (const pool of this.#pools) pool.giveUp();
    for (const { reject } of this.#forCustomer.splice(0)) reject(new Error("given up"));
    await this.#untilAnswered();
  }

  /** The next process that accepts connections. */
  #next(): number {
    const { length } = this.#pools;
    for (let tried = 0; tried < length; tried += 1) {
      const index = this.#turn++ % length;
      if (this.#pools[index]?.isOpen) return index;
    }
    return this.#turn % length;
  }

  async #read(): Promise<void> {
    const { targets } = this.#load;
    const target = present(targets[this.#turn % targets.length], "a target");
    const pool = present(this.#pools[this.#next()], "a process");
    const status = await pool.send(
      `GET ${target.path} HTTP/1.1\r\nhost: localhost\r\n` +
        `authorization: Bearer ${target.token}\r\n\r\n`,
    );
    if (status !== 200) throw new Error(`a read was answered ${status}`);
  }

  async #refresh(): Promise<void> {
    const { refreshTokens } = this.#load.reader;
    const index = this.#next();
    const token = refreshTokens[this.#turn % refreshTokens.length];
    await this.#readers[index]?.refresh(present(token, "a token"));
  }

  async #pay(): Promise<void> {
    // a customer makes one payment at a time
    while (this.#customers.length === 0) {
      const free = Promise.withResolvers<void>();
      this.#forCustomer.push(free);
      await free.promise;
    }
    const customer = present(this.#customers.shift(), "a customer");
    const index = this.#next();
    try {
      const client = present(this.#payers[index], "a client");
      const { publicUrl } = present(this.#load.processes[index], "a process");
      await runJourney({ publicUrl }, client, customer, await prepareJourney(client));
      this.#acknowledged += 1;
    } finally {
      this.#customers.push(customer);
      this.#forCustomer.shift()?.resolve();
    }
  }

  async #collect(): Promise<void> {
    const { orders, path } = this.#load.collector;
    const order = present(orders[this.#turn % orders.length], "an order");
    const client = present(this.#collectors[this.#next()], "a client");
    const { token, body } = order;
    const answer = await client.call({
      path: `/v4.0/pisp${path}`,
      token,
      body,
      signed: true,
      idempotencyKey: randomUUID(),
    });
    if (answer.status !== 201) throw new Error(`an order was answered ${answer.status}`);
    this.#acknowledged += 1;
  }
}

// its connections would be opened again for ever
process.once("disconnect", () => process.exit());
process.once("message", (message) => {
  const sender = new Sender(message as OpenLoad); // open-load.ts sends this and the runs
  process.on("message", async (run) => {
    process.send?.(await sender.run(run as OpenRun));
  });
});

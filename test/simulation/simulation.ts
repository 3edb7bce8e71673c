import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { SandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import { createRandom, type Random } from "#src/sandbox/random.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { createSandboxClock } from "#src/sandbox/time/clock.ts";
import { createSurroundings } from "#src/sandbox/time/surroundings.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { ServerOptions } from "#src/server/open-server.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Snapshot } from "#src/storage/archived-files.ts";
import { describeBreach } from "#src/storage/invariants.ts";
import { callControl } from "#test/attacks/fuzz/world.ts";
import { openProxy, type TcpProxy } from "#test/attacks/tcp-proxy.ts";
import { subscribe } from "#test/events/events-bed.ts";
import { areEventsMade } from "#test/events/stored-events.ts";
import { freePort } from "#test/free-port.ts";
import { History } from "#test/model/history.ts";
import { describe, judge } from "#test/model/judge.ts";
import { ofClient } from "#test/model/judge-client.ts";
import { readBooks, readKeptEvents } from "#test/model/read-books.ts";
import { endLeases, readOrdersOf } from "#test/payments/stored-orders.ts";
import { plantInDatabase } from "#test/planted/plant-in-database.ts";
import type { DatabasePatch } from "#test/planted/planted-fault.ts";
import { shortRound, wholeRound } from "./round-timers.ts";
import { LateCalls } from "./simulated-core.ts";
import { openCore, SimulatedProcess } from "./simulated-process.ts";
import { SimulatedServer, untilQuiet } from "./simulated-server.ts";
import { SimulatedTpp } from "./simulated-tpp.ts";

const processes = 2;
// A killed engine's payments are free for others after this time.
const leaseSeconds = 60;
// Two: in the first, processes learn the time; in the second, they act on it.
const rounds = 2;
// The bank keeps settled events for 90 days, and the judge wants to see each.
const mostTime = { hours: 83 * 24 };
// Within this time, a bank without troubles has done what it has accepted.
const mostHours = 100;
const machine = { now: () => Temporal.Now.instant() };
const nothing = { drain: async () => undefined, nextDueAt: async () => null };

/** How all end-to-end ids of a simulated TPP begin. */
export const idBegin = "simulated-";

/** What must hold besides the rules of the model. */
export const ending = "every order ends";

/** What is wrong with a simulated bank: the rule that is broken, and how. */
export type Fault = { rule: string; text: string };

/** What a simulation needs. */
export type SimulationOptions = {
  /** The archive of the database with which it begins. */
  template: string;
  /** When its time begins: the day on which the template ends. */
  beginning: Temporal.Instant;
  seed: number;
  /** Faults in the databases. */
  planted?: readonly DatabasePatch[];
  generateKey?: ServerOptions["generateKey"];
};

/** A bank of several processes whose time, network, database and core are simulated. */
export class Simulation {
  readonly history = new History(null, () => this.#now.epochMilliseconds);
  readonly random: Random;
  readonly late = new LateCalls();
  readonly processes: SimulatedProcess[] = [];
  /** The account of the customer who decides. */
  account = "";
  #tpp: SimulatedTpp | null = null;
  readonly beginning: Temporal.Instant;
  #now: Temporal.Instant;
  #backup: { snapshot: Snapshot; calls: number } | null = null;
  readonly #folder = mkdtempSync(join(tmpdir(), "aldgate-simulation-"));
  readonly #closers: (() => Promise<unknown>)[] = [];
  readonly #server: SimulatedServer;
  readonly #ledger: SimulatedServer;

  private constructor(
    [server, ledger]: readonly [SimulatedServer, SimulatedServer],
    random: Random,
    beginning: Temporal.Instant,
  ) {
    this.#server = server;
    this.#ledger = ledger;
    this.random = random;
    this.beginning = beginning;
    this.#now = beginning;
  }

  static async open(options: SimulationOptions): Promise<Simulation> {
    const { template, beginning, seed, planted = [], generateKey } = options;
    const random = createRandom(`simulation ${seed}`);
    const server = await SimulatedServer.open(template, random);
    const ledger = await SimulatedServer.open(template, random);
    for (const { database } of [server, ledger]) await plantInDatabase(database, planted);
    const simulation = new Simulation([server, ledger], random, beginning);
    await simulation.#start(generateKey);
    return simulation;
  }

  async #start(generateKey: ServerOptions["generateKey"]): Promise<void> {
    const core = openCore(this.#ledger, () => this.#now);
    const [publicDoor, mtlsDoor] = [
      await this.#openDoor("publicUrl"),
      await this.#openDoor("mtlsUrl"),
    ];
    const address = { publicUrl: `http://${publicDoor.host}`, mtlsUrl: `https://${mtlsDoor.host}` };
    const shared = {
      server: this.#server,
      core,
      late: this.late,
      random: this.random,
      generateKey,
      settings: {
        ALDGATE_DATA: this.#folder,
        PUBLIC_URL: address.publicUrl,
        MTLS_URL: address.mtlsUrl,
        CLOCK_START: this.beginning.toString(),
        CLOCK_RATE: 0,
        SHUTDOWN_SECONDS: 0,
        REQUEST_LOG_ENTRIES: 0,
      },
    };
    for (let count = 0; count < processes; count += 1) {
      const ports = { PUBLIC_PORT: await freePort(), MTLS_PORT: await freePort() };
      const process = new SimulatedProcess(shared, ports);
      this.processes.push(process);
      await process.start();
    }
    await this.#register(address, core);
  }

  /** A balancer in front of the processes, for customers. */
  async #openDoor(name: "publicUrl" | "mtlsUrl"): Promise<TcpProxy> {
    const door = await openProxy(() => new URL(this.tpp.door[name]).host);
    this.#closers.push(() => door.close());
    return door;
  }

  async #register(
    address: { publicUrl: string; mtlsUrl: string },
    core: SandboxBank,
  ): Promise<void> {
    this.#closers.push(async () => core.close?.());
    const request = {
      name: "Simulated",
      roles: [...tppRoles],
      redirectUris: ["http://localhost:7878/callback"],
      tokenEndpointAuthMethod: "private_key_jwt" as const,
      certificateBound: false,
    };
    const { door } = present(this.processes[0], "a process");
    const issued = await callControl<TppCredentials>(door, "POST", "/tpps", request);
    const bank = { ...address, operations: listOperations(paymentKinds) };
    const tpp = new SimulatedTpp(bank, { ...issued, ...request }, this);
    tpp.door = door;
    this.#tpp = tpp;
    this.#closers.push(async () => tpp.close());
    type Customers = { customers: SandboxCustomer[] };
    const { customers } = await callControl<Customers>(door, "GET", "/customers");
    const payer = customers.find(({ login }) => login === "amara");
    const account = payer?.accounts.find((one) => one.accountSubType === "CurrentAccount");
    this.account = present(account, "an account").accountId;
    await subscribe(tpp, {}, "payments");
  }

  get tpp(): SimulatedTpp {
    return present(this.#tpp, "the TPP");
  }

  get now(): Temporal.Instant {
    return this.#now;
  }

  get alive(): SimulatedProcess[] {
    return this.processes.filter(({ isAlive }) => isAlive);
  }

  /** Chooses one of the living processes, which answers from now on. */
  choose(which: number): SimulatedProcess {
    const process = present(this.alive[which % this.alive.length], "a living process");
    this.tpp.door = process.door;
    return process;
  }

  /** Calls the sandbox's own interface at the process that was chosen last. */
  async control<T>(path: string, body: object): Promise<T> {
    try {
      return await callControl<T>(this.tpp.door, "POST", path, body);
    } catch (error) {
      const { message } = error as Error;
      // what the customer's page shows may be out of service too, but no page may fail
      if (/: 5(?!03)\d\d /.test(message)) this.tpp.faults.push(message);
      throw error;
    }
  }

  /** Waits until the processes do nothing more, and frees what killed ones leave. */
  async quiet(): Promise<void> {
    await untilQuiet([this.#server, this.#ledger]);
    for (const process of this.processes) {
      if (!process.isAlive && process.bank) await process.bury();
    }
  }

  /** Lets time pass, and then lets every process do its regular work. */
  async pass(wanted: number): Promise<void> {
    const seconds = this.#atMost(wanted);
    if (seconds > 0) await this.#pass(seconds);
  }

  /** Lets time pass, of which the processes learn before they do what they do now and then. */
  async jump(wanted: number): Promise<void> {
    const seconds = this.#atMost(wanted);
    if (seconds <= 0) return;
    await this.#moveClock(seconds);
    await this.#work(shortRound);
  }

  #atMost(seconds: number): number {
    const left = this.now.until(this.beginning.add(mostTime)).total("seconds");
    return Math.floor(Math.min(seconds, left));
  }

  async #moveClock(seconds: number): Promise<void> {
    this.#now = this.#now.add({ seconds });
    await this.#setClock();
  }

  async #pass(seconds: number): Promise<void> {
    await this.#moveClock(seconds);
    if (seconds >= leaseSeconds) await endLeases(this.#server.database);
    await this.late.arrive();
    await createSurroundings(this.#ledger.database, () => this.#now).drain();
    for (let round = 0; round < rounds; round += 1) {
      await this.#work(wholeRound);
      // a slow answer comes when others have done a part of its work, or all of it; so it may also
      // take until more time has passed, and the lease of its payments has run out
      if (this.random.next() < 0.3 && this.late.answer()) await this.quiet();
    }
  }

  /** Lets every process do the work that waits for so long at most. */
  async #work(milliseconds: number): Promise<void> {
    const order = this.random.next() < 0.5 ? this.alive : this.alive.toReversed();
    for (const process of order) process.round(milliseconds);
    await this.quiet();
  }

  async #setClock(): Promise<void> {
    const clock = await createSandboxClock(this.#server.database, machine);
    await clock.advanceTo(this.#now, { ...nothing, sweep: async () => undefined });
  }

  /** A customer does not find a bank of which every process was killed. */
  async ensureAlive(): Promise<void> {
    if (this.alive.length > 0) return;
    await this.quiet();
    await this.restart();
  }

  /** Starts every process that was killed. */
  async restart(): Promise<void> {
    for (const process of this.processes) if (!process.isAlive) await process.start();
    await this.quiet();
  }

  async backUp(): Promise<void> {
    this.#backup = { snapshot: await this.#server.backUp(), calls: this.history.mark() };
  }

  /**
   * Kills every process, and begins again with the backup. What the bank has said since may be lost
   * or not. The core loses nothing.
   */
  async restore(): Promise<void> {
    const { snapshot, calls } = present(this.#backup, "a backup");
    this.#backup = null;
    for (const process of this.processes) process.kill();
    await this.quiet();
    await this.#server.restore(snapshot);
    this.history.doubt(calls);
    await this.#setClock();
    await this.restart();
  }

  /** Ends all troubles, lets the bank finish, and returns what is wrong with its history. */
  async judge(): Promise<Fault[]> {
    for (const { lines } of this.processes) lines?.line.heal();
    this.tpp.trouble = null;
    await this.restart();
    const { clientId } = this.tpp.tpp;
    const { database } = this.#server;
    const open = async (): Promise<string[]> =>
      (await readOrdersOf(database, { clientId }))
        .filter(({ isOpen }) => isOpen)
        .map(({ orderId, status }) => `${orderId} is ${status} and does not end`);
    for (let hours = 0; hours < mostHours; hours += 1) {
      await this.#pass(3600);
      if ((await open()).length === 0 && (await areEventsMade(database))) break;
    }
    // an answer may have taken until others have done everything
    if (this.late.answer()) await this.#pass(1);
    await this.#receiveAll();
    const ledger = { ledger: this.#ledger.database, named: idBegin };
    await readBooks(this.history, database, clientId, ledger);
    await readKeptEvents(this.history, database, clientId);
    const breaches = await verifyInvariants(database, { hasOwnCore: true });
    const found = judge(ofClient(this.history, clientId));
    return [
      ...this.tpp.faults.map((text) => ({ rule: "no answer is a fault", text })),
      ...(await open()).map((text) => ({ rule: ending, text })),
      ...found.map((one) => ({ rule: one.rule, text: describe(one) })),
      ...breaches.map((one) => ({ rule: "the invariants hold", text: describeBreach(one) })),
    ];
  }

  /** Polls until there are no events, and acknowledges each. */
  async #receiveAll(): Promise<void> {
    this.choose(0);
    const token = await this.tpp.clientToken("payments");
    let ack: string[] = [];
    for (let polls = 0; polls < 200; polls += 1) {
      const body = { returnImmediately: true, ack };
      type Polled = { sets?: Record<string, string> };
      const answer = await this.tpp.call<Polled>({ path: "/v4.0/events", token, body });
      const received = Object.keys(answer.body.sets ?? {});
      if (received.length === 0 && ack.length === 0) return;
      ack = received;
    }
  }

  async close(): Promise<void> {
    for (const process of this.processes) await process.close();
    for (const close of this.#closers) await close();
    await this.#server.close();
    await this.#ledger.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

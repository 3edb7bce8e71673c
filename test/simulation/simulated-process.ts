import type { Config } from "#src/config/config.ts";
import { createPace } from "#src/lib/clock.ts";
import { createSandboxBank, type SandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { Random } from "#src/sandbox/random.ts";
import type { ServerOptions } from "#src/server/open-server.ts";
import { scenarioBank } from "#src/server/sandbox/open-sandbox.ts";
import { type OpenedBank, openOn } from "#src/testing/opened-bank.ts";
import { RoundTimers } from "./round-timers.ts";
import { type CoreLine, connectToCore, type LateCalls } from "./simulated-core.ts";
import type { SimulatedLine, SimulatedServer } from "./simulated-server.ts";
import type { Door } from "./simulated-tpp.ts";

/** What the processes of a simulated bank share. */
export type SharedParts = {
  server: SimulatedServer;
  /** The core, whose money is in a database of its own. */
  core: SandboxBank;
  late: LateCalls;
  random: Random;
  settings: Partial<Config>;
  generateKey: ServerOptions["generateKey"];
};

/** One process of the bank, which may be killed and started again. */
export class SimulatedProcess {
  readonly door: Door;
  readonly #shared: SharedParts;
  readonly #ports: Pick<Config, "PUBLIC_PORT" | "MTLS_PORT">;
  #running: { bank: OpenedBank; line: SimulatedLine; core: CoreLine; timers: RoundTimers } | null =
    null;
  #isKilled = false;

  constructor(shared: SharedParts, ports: Pick<Config, "PUBLIC_PORT" | "MTLS_PORT">) {
    this.#shared = shared;
    this.#ports = ports;
    this.door = {
      publicUrl: `http://localhost:${ports.PUBLIC_PORT}`,
      mtlsUrl: `https://localhost:${ports.MTLS_PORT}`,
    };
  }

  get isAlive(): boolean {
    return this.#running !== null && !this.#isKilled;
  }

  get bank(): OpenedBank | null {
    return this.#running?.bank ?? null;
  }

  /** The connection to the database and that to the core, for troubles. */
  get lines(): { line: SimulatedLine; core: CoreLine } | null {
    return this.#running;
  }

  async start(): Promise<void> {
    const { server, core, late, settings, generateKey } = this.#shared;
    this.#isKilled = false;
    const line = server.connect(() => this.kill());
    const toCore = connectToCore(core, late);
    const timers = new RoundTimers();
    const bank = await openOn({
      database: line,
      settings: { ...settings, ...this.#ports },
      pace: createPace(false, timers),
      generateKey,
      // the money is the core's; who its customers are, Aldgate's sandbox knows
      reachBank: async (own) => ({
        ...own,
        loadFunds: core.loadFunds,
        confirmFunds: core.confirmFunds,
        price: core.price,
        ...toCore.calls,
      }),
    });
    this.#running = { bank, line, core: toCore, timers };
  }

  /** Begins the regular work that waits for so long at most. */
  round(milliseconds: number): void {
    if (this.isAlive) this.#running?.timers.round(this.#shared.random, milliseconds);
  }

  /** From now on, what this process does reaches nobody. */
  kill(): void {
    this.#isKilled = true;
    this.#running?.line.cut();
    this.#running?.core.cut();
    this.#running?.timers.end();
  }

  /** Frees what a killed process leaves in this one. */
  async bury(): Promise<void> {
    const { bank, core } = this.#running ?? {};
    this.#running = null;
    core?.cut(); // it would wait for an answer
    await bank?.close();
  }

  /** Closes the process as an operator would. */
  async close(): Promise<void> {
    await this.bury();
  }
}

/** Opens the core of a simulated bank on a server of its own. */
export const openCore = (server: SimulatedServer, now: () => Temporal.Instant): SandboxBank =>
  createSandboxBank({ database: server.connect(), clock: { now }, ...scenarioBank });

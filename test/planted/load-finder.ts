import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "#src/storage/postgres.ts";
import { type BankProcess, quickTakeover, startBank } from "#test/attacks/bank-process.ts";
import { fillDatabase } from "#test/attacks/kills.ts";
import { untilSettled } from "#test/attacks/order-stream.ts";
import { type PostgresServer, startServer } from "#test/attacks/postgres-server.ts";
import { History } from "#test/model/history.ts";
import { type Finding, judge } from "#test/model/judge.ts";
import { ofClient } from "#test/model/judge-client.ts";
import { readBooks, readKeptEvents } from "#test/model/read-books.ts";
import { patienceMs } from "#test/until.ts";
import { plantInDatabase } from "./plant-in-database.ts";
import type { DatabasePatch } from "./planted-fault.ts";
import { Workload } from "./workload.ts";

/** Judges the workload at banks in whose source and database faults are planted. */
export class LoadFinder {
  readonly #server: PostgresServer;
  readonly #folder = mkdtempSync(join(tmpdir(), "aldgate-planted-data-"));

  private constructor(server: PostgresServer) {
    this.#server = server;
  }

  static async open(): Promise<LoadFinder> {
    const server = await startServer();
    await fillDatabase(await server.createDatabase("template"));
    return new LoadFinder(server);
  }

  /** Runs the workload at two processes of a bank, and judges its history. */
  async run(
    root: string,
    planted: readonly DatabasePatch[],
  ): Promise<{ calls: number; findings: Finding[] }> {
    const url = await this.#copyTemplate(planted);
    const history = new History();
    const banks: BankProcess[] = [];
    try {
      const settings = { DATABASE_URL: url, ...quickTakeover };
      // one after the other, because the first makes the keys
      for (const _ of [1, 2]) banks.push(await startBank(this.#folder, settings, { root }));
      const workload = await Workload.open(banks as [BankProcess, BankProcess], history);
      await workload.run();
      workload.tpp.close();
      const { clientId } = workload.tpp.tpp;
      const on = await openPostgres(url, 1);
      await untilSettled(on, patienceMs);
      await readBooks(history, on, clientId);
      await readKeptEvents(history, on, clientId);
      await on.close();
      const calls = ofClient(history, clientId);
      return { calls: calls.length, findings: judge(calls) };
    } finally {
      for (const bank of banks) if (bank.isAlive()) await bank.kill();
    }
  }

  async #copyTemplate(planted: readonly DatabasePatch[]): Promise<string> {
    const name = `planted_${Math.round(performance.now())}`;
    const server = await openPostgres(this.#server.urlOf("postgres"), 1);
    await server.execute(`create database ${name} template template`);
    await server.close();
    const url = this.#server.urlOf(name);
    const on = await openPostgres(url, 1);
    await plantInDatabase(on, planted);
    await on.close();
    return url;
  }

  async close(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

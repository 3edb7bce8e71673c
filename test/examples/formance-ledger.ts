import { startProgram } from "#test/cli/running-bank.ts";
import { freePort } from "#test/free-port.ts";
import { startPostgres } from "#test/postgres.ts";
import { until } from "#test/until.ts";

const program = process.env.ALDGATE_TEST_FORMANCE;

/** Why the tests with Formance Ledger cannot run on this machine; false if they can. */
export const whyNoLedger: string | false =
  program === undefined && "ALDGATE_TEST_FORMANCE does not name the program of Formance Ledger";

/** A running Formance Ledger. */
export type FormanceLedger = { url: string; close(): Promise<void> };

/** Starts the ledger on a PostgreSQL server of its own. */
export async function openFormanceLedger(): Promise<FormanceLedger> {
  const postgres = await startPostgres();
  const database = new URL(await postgres.createDatabase(`formance_${process.pid}`));
  database.searchParams.set("sslmode", "disable");
  const bind = `127.0.0.1:${await freePort()}`;
  const line = ["serve", "--bind", bind, "--auto-upgrade", "--postgres-uri", database.href];
  const running = startProgram(program ?? "", line, { env: process.env });
  const url = `http://${bind}`;
  await until(
    async () => {
      if (running.child.exitCode !== null) throw new Error(`it ended: ${running.said()}`);
      return fetch(`${url}/_healthcheck`).catch(() => null);
    },
    (answer) => answer?.status === 200,
  );
  return {
    url,
    async close() {
      running.child.kill("SIGKILL");
      await running.ended;
      await postgres.stop();
    },
  };
}

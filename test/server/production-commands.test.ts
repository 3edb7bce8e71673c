import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { addClient } from "#test/clients/add-client.ts";
import { addUndelivered } from "#test/events/stored-events.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import { makeProductionFolder, type ProductionFolder } from "./production-folder.ts";
import { type CommandResult, runCommand } from "./run-command.ts";

// Commands of the bank's staff in production, where they use the database directly.

const clientId = "tpp-1";
let postgres: TestPostgres;
let folder: ProductionFolder;
let environment: Record<string, string>;
let url: string;
before(async () => {
  [postgres, folder] = await Promise.all([startPostgres(), makeProductionFolder()]);
  url = await postgres.createDatabase(`commands_${process.pid}`);
  environment = { ...folder.environment, DATABASE_URL: url };
  await run("migrate");
  await withDatabase((database) => addClient(database, clientId, { roles: ["PISP"] }));
});
after(async () => {
  await postgres?.stop();
  folder?.remove();
});

/** Runs a command that must succeed. */
async function run(line: string): Promise<CommandResult> {
  const result = await runCommand(line, environment);
  assert.equal(result.code, 0, result.complained);
  return result;
}

type Database = Awaited<ReturnType<typeof openPostgres>>;

async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openPostgres(url, 1);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

test("EV-22, EV-23: the event commands list the events of a TPP and send undelivered ones again", async () => {
  assert.match((await run("events list")).printed, /No TPP is registered for events/);
  const facts = {
    objectKind: "consent",
    kind: "domestic-vrp",
    objectId: "vrpc-1",
    apiVersion: "pisp-v4.0",
    version: "4.0",
    types: ["resource-update"],
    txn: null,
  };
  const at = Temporal.Now.instant();
  const error = { status: 404, reason: "answered 404, not 202" };
  await withDatabase(async (database) => {
    const event = { clientId, jti: "event-1", objectId: "vrpc-1", facts, error, at };
    await addUndelivered(database, event);
  });
  assert.match((await run("events list")).printed, new RegExp(`${clientId} .*1 undelivered`));
  const listed = (await run(`events list ${clientId}`)).printed;
  assert.match(listed, /event-1 +undelivered, 1 try +resource-update vrpc-1 .*answered 404/);
  assert.match((await run(`events resend ${clientId}`)).printed, /1 event is sent again/);
  assert.match((await run(`events list ${clientId}`)).printed, /event-1 +waiting/);
});

test("B-180: a contract for payments other than sweeping is granted and withdrawn", async () => {
  await run(`vrp grant ${clientId} energy-1 --types CVRP1 --purpose bills`);
  const { printed } = await run("vrp contracts");
  assert.match(printed, new RegExp(`${clientId} .*energy-1 .*UK\\.OBIE\\.VRPType\\.CVRP1`));
  await run(`vrp withdraw ${clientId} energy-1`);
  assert.doesNotMatch((await run("vrp contracts")).printed, /energy-1/);
});

test("a bank's database of another schema is refused, and nobody is told to begin with an empty one", async () => {
  const other = await postgres.createDatabase(`other_schema_${process.pid}`);
  const database = await openPostgres(other, 1);
  try {
    await migrate(database, { migrations: [{ name: "0001_core", text: "select 1" }] });
  } finally {
    await database.close();
  }
  const { code, complained } = await runCommand("start", { ...environment, DATABASE_URL: other });
  assert.equal(code, 1);
  assert.match(complained, /this version has no migration 0001_core.*Open it with the version/s);
  assert.doesNotMatch(complained, /create/);
});

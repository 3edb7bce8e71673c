import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { createTemplates, type Fill, type Templates } from "#src/worlds/templates.ts";
import {
  folderDatabases,
  serverDatabases,
  type WorldDatabases,
} from "#src/worlds/world-databases.ts";
import { onPostgres, startPostgres } from "#test/postgres.ts";
import { emptyName } from "#test/setup.ts";

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

/** The databases of a sandbox, as each of its processes sees them: one process for a folder. */
async function databasesOf(): Promise<WorldDatabases[]> {
  if (!onPostgres) {
    const root = mkdtempSync(join(tmpdir(), "aldgate-templates-"));
    closing.push(() => rmSync(root, { recursive: true, force: true }));
    return [folderDatabases(loadConfig({}), root)];
  }
  const server = await startPostgres();
  const name = `templates_${randomUUID().replaceAll("-", "")}`;
  const url = await server.createDatabase(name, emptyName);
  return Promise.all(
    [1, 2].map(async () => {
      const admin: Database = await openPostgres(url);
      closing.push(() => admin.close());
      return serverDatabases(loadConfig({}), admin, url);
    }),
  );
}

const made: string[] = [];

/** Fills a database with something small. */
const fill: Fill = async ({ ALDGATE_DATA: folder, DATABASE_URL: url }, time) => {
  made.push(String(time.toZonedDateTimeISO("UTC").toPlainDate()));
  if (url === undefined) {
    const files = join(String(folder), "database", "postgres");
    mkdirSync(files, { recursive: true });
    return writeFileSync(join(files, "filled"), "");
  }
  const database = await openPostgres(url);
  await database.execute("create table filled ()");
  await database.close();
};

const makeOld = (databases: WorldDatabases, id: string): Promise<void> =>
  databases.make(id, (settings) => fill(settings, dayNumber(1)));

const dayNumber = (number: number): Temporal.Instant =>
  Temporal.Instant.from("2027-03-01T09:00Z").add({ hours: 24 * number });

const templatesIn = async (databases: WorldDatabases): Promise<string[]> =>
  (await databases.list()).filter((id) => id.startsWith("template-"));

const open = (databases: WorldDatabases, named: string[] = []): Templates =>
  createTemplates(databases, { fill, listNamed: () => named });

test("a new template replaces those of other versions that no world was copied from", async () => {
  const [databases] = await databasesOf();
  assert.ok(databases);
  const [unused, named] = ["template-2026-01-01-older", "template-2026-01-02-older"] as const;
  for (const id of [unused, named, "world-abc"]) await makeOld(databases, id);
  const id = await open(databases, [named]).copy(dayNumber(1), "first-copy");
  assert.deepEqual((await templatesIn(databases)).sort(), [named, id].sort());
  const others = (await databases.list()).filter((one) => !one.startsWith("template-"));
  assert.deepEqual(others.sort(), ["first-copy", "world-abc"]);
});

test("the five newest templates of this version stay, so days in turn cost nothing", async () => {
  const [databases] = await databasesOf();
  assert.ok(databases);
  const templates = open(databases);
  const days = [1, 2, 3, 4, 5, 6, 7];
  const ids: string[] = [];
  for (const day of days) ids.push(await templates.copy(dayNumber(day), `copy-${day}`));
  assert.deepEqual(await templatesIn(databases), ids.slice(2));
  const before = made.length;
  for (const day of [3, 7, 5]) await templates.copy(dayNumber(day), `again-${day}`);
  assert.equal(made.length, before);
});

test("a world whose template is gone is reset to the same day", async () => {
  const [databases] = await databasesOf();
  assert.ok(databases);
  const id = await open(databases).copy("template-2027-04-05-older", "copy");
  assert.match(id, /^template-2027-04-05-/);
  assert.equal(made.at(-1), "2027-04-05");
  assert.ok(!id.endsWith("-older"));
});

test("every copy is made while templates are dropped beside it", async () => {
  const processes = await databasesOf();
  const copies = processes.flatMap((databases, process) => {
    const templates = open(databases);
    return [1, 2, 3, 4, 5, 6, 7, 8].flatMap((day) =>
      [1, 2].map(async (turn) => {
        const id = await templates.copy(dayNumber(day), `copy-${process}-${day}-${turn}`);
        if (processes.length > 1) await databases.drop(id);
      }),
    );
  });
  await Promise.all(copies);
  const [databases] = processes;
  assert.ok(databases);
  const all = await databases.list();
  assert.equal(all.filter((id) => id.startsWith("copy-")).length, copies.length);
});

import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Mutex, PGlite } from "@electric-sql/pglite";
import type { Filesystem } from "@electric-sql/pglite/basefs";
import { assert } from "#src/lib/assert.ts";
import { writeArchived } from "./archived-files.ts";
import type { Database } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";
import { PgliteStatements } from "./pglite-statements.ts";
import { PrivateFiles } from "./private-files.ts";
import type { Sql } from "./sql.ts";
import { columnParsers } from "./values.ts";

/** The engine's folder within that of the embedded database. */
const postgres = "postgres";

/**
 * The folder of the embedded database. Without a folder, it is in memory, or in the given files.
 */
type PgliteOptions = { folder?: string; files?: Filesystem };

/**
 * Opens the embedded database. It survives a killed process but not a power cut, because it never
 * syncs to disk. Throws FolderInUse if another process has the folder open.
 */
export async function openPglite(options: PgliteOptions): Promise<Database & { engine: PGlite }> {
  let unlock: () => void = () => undefined;
  if (options.folder) {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    unlock = lockFolder(options.folder);
    beginWithSchema(join(options.folder, postgres));
  }
  const engine = await createEngine(options).catch((error) => {
    unlock();
    throw error;
  });
  const statements = new PgliteStatements(engine);
  // one statement or one transaction at a time: the engine has one connection
  const turn = new Mutex();
  const query = <Row>(statement: Sql) => turn.runExclusive(() => statements.run<Row>(statement));
  const database: Database & { engine: PGlite } = {
    kind: "pglite",
    engine,
    query,
    read: query, // it has no round trips that reads could share
    readOnStandby: query,
    standbyUse: () => null,
    transaction: (work) =>
      turn.runExclusive(() =>
        engine.transaction((inner) =>
          work({
            query(statement) {
              assert(!inner.closed, "a transaction is used only before it ends");
              return statements.run(statement);
            },
          }),
        ),
      ),
    execute: (text) =>
      turn.runExclusive(async () => {
        await engine.exec(text);
        await statements.forget();
      }),
    alone: (_purpose, work) => work(database), // no other process can have the folder
    probe: async () => void (await query({ text: "select 1", values: [] })),
    async close() {
      await turn.runExclusive(() => engine.close());
      unlock();
    },
  };
  return database;
}

// An empty database with the schema, which only the package has: its build makes it.
const schema = fileURLToPath(new URL("../schema.tar.zst", import.meta.url));

/** Makes a new folder from the package's database, which takes a tenth of the time of a new one. */
function beginWithSchema(folder: string): void {
  if (existsSync(folder) || !existsSync(schema)) return;
  const draft = `${folder}.new`; // a process that is killed leaves no half of a database
  rmSync(draft, { recursive: true, force: true });
  writeArchived(schema, draft);
  renameSync(draft, folder);
}

function createEngine({ folder, files }: PgliteOptions): Promise<PGlite> {
  const fs = folder ? new PrivateFiles(privateFolder(join(folder, postgres))) : files;
  return PGlite.create({
    ...(fs ? { fs } : {}),
    parsers: columnParsers,
    // Reduces the memory of the process from about 300 to about 190 MB, without loss of speed.
    startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB"],
  });
}

function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

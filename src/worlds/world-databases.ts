import { constants, mkdirSync } from "node:fs";
import { access, copyFile, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "#src/config/config.ts";
import { openDatabase } from "#src/server/opening/open-database.ts";
import type { Database } from "#src/storage/database.ts";
import { databaseNameOf, otherDatabase } from "#src/storage/database-url.ts";
import { sql } from "#src/storage/sql.ts";

/** The settings with which a bank, or a command, uses a database. */
type DatabaseSettings = Pick<Config, "ALDGATE_DATA" | "DATABASE_URL">;

/**
 * The databases of worlds, of their snapshots, and the seeded ones that worlds are copied from.
 * Each has an id. All of them are copied, renamed and dropped only while nobody has them open.
 */
export type WorldDatabases = {
  has(id: string): Promise<boolean>;
  open(id: string): Promise<Database>;
  copy(from: string, to: string): Promise<void>;
  /** Makes a database by a function that fills a new one. It exists only when it is full. */
  make(id: string, fill: (settings: Partial<DatabaseSettings>) => Promise<void>): Promise<void>;
  drop(id: string): Promise<void>;
  /** The ids of all that are full, the oldest first. */
  list(): Promise<string[]>;
  /** Runs work that no other process that uses the databases does at the same time. */
  alone(work: () => Promise<void>): Promise<void>;
};

const draftOf = (id: string): string => `${id}.draft`;

/** The databases as folders of embedded ones. */
export function folderDatabases(config: Config, root: string): WorldDatabases {
  const folderOf = (id: string): string => join(root, "databases", id);
  const remove = (id: string): Promise<void> =>
    rm(folderOf(id), { recursive: true, force: true, maxRetries: 3 });
  const make: WorldDatabases["make"] = async (id, fill) => {
    const draft = draftOf(id);
    await remove(draft); // what a killed process has left
    mkdirSync(folderOf(draft), { recursive: true, mode: 0o700 });
    await fill({ ALDGATE_DATA: folderOf(draft) });
    await rename(folderOf(draft), folderOf(id));
  };
  return {
    has: (id) =>
      access(folderOf(id)).then(
        () => true,
        () => false,
      ),
    open: (id) => openDatabase({ ...config, ALDGATE_DATA: folderOf(id) }),
    make,
    // without the lock of the folder, which belongs to the process that has it open
    copy: (from, to) =>
      make(to, ({ ALDGATE_DATA: folder = "" }) =>
        copyTree(join(folderOf(from), files), join(folder, files)),
      ),
    async drop(id) {
      await remove(draftOf(id)); // what a copy that failed has left
      await remove(id);
    },
    async list() {
      const folders = await readdir(join(root, "databases")).catch(() => []);
      const full = folders.filter((name) => !name.endsWith(draftOf("")));
      const times = await Promise.all(
        full.map(async (id) => ({ id, made: (await stat(folderOf(id))).mtimeMs })),
      );
      return times.sort((one, other) => one.made - other.made).map(({ id }) => id);
    },
    alone: (work) => work(), // only one process has the folder of worlds
  };
}

const files = join("database", "postgres");
const atOnce = 32;

/** Copies a folder. The file system shares the contents until one is written, if it can. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const pathOf = ({ parentPath, name }: (typeof entries)[number]): string =>
    join(to, join(parentPath, name).slice(from.length));
  for (const entry of entries) {
    if (entry.isDirectory()) await mkdir(pathOf(entry), { recursive: true, mode: 0o700 });
  }
  const left = entries.filter((entry) => entry.isFile());
  const copyOneByOne = async (): Promise<void> => {
    for (let file = left.pop(); file; file = left.pop()) {
      await copyFile(join(file.parentPath, file.name), pathOf(file), constants.COPYFILE_FICLONE);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, copyOneByOne));
}

// the sandbox probes the same server more often
const probeSeconds = 60;

/** The databases on the PostgreSQL server of the sandbox, whose role must be able to make them. */
export function serverDatabases(config: Config, admin: Database, url: string): WorldDatabases {
  const base = databaseNameOf(url).slice(0, 20);
  const nameOf = (id: string): string => `${base}_${id}`;
  const urlOf = (id: string): string => otherDatabase(url, nameOf(id));
  const drop = (id: string): Promise<void> =>
    admin.execute(`drop database if exists ${quoted(nameOf(id))} with (force)`);
  return {
    async has(id) {
      const rows = await admin.query(
        sql`select datname from pg_database where datname = ${nameOf(id)}`,
      );
      return rows.length > 0;
    },
    open: (id) =>
      openDatabase(
        { ...config, DATABASE_URL: urlOf(id), DATABASE_CONNECTIONS: 1 },
        { limits: { probeSeconds } },
      ),
    async make(id, fill) {
      const draft = draftOf(id);
      await drop(draft);
      await admin.execute(`create database ${quoted(nameOf(draft))}`);
      await fill({ DATABASE_URL: urlOf(draft) });
      await admin.execute(
        `alter database ${quoted(nameOf(draft))} rename to ${quoted(nameOf(id))}`,
      );
    },
    copy: (from, to) =>
      admin.execute(`create database ${quoted(nameOf(to))} template ${quoted(nameOf(from))}`),
    drop,
    async list() {
      const rows = await admin.query<{ name: string }>(sql`
        select datname as name from pg_database
        where starts_with(datname, ${nameOf("")}) and datname not like ${`%${draftOf("")}`}
        order by oid`);
      return rows.map(({ name }) => name.slice(nameOf("").length));
    },
    alone: (work) => admin.alone("worlds", work),
  };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

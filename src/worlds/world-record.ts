import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** What is stored about a world: where it listens, and which database it uses. */
export type WorldRecord = {
  name: string;
  createdAt: string;
  publicPort: number;
  mtlsPort: number;
  /** The id of its database. A reset or a restored snapshot gives it another one. */
  database: string;
  /** The id of the database that it was copied from, to which a reset goes back. */
  template: string;
  /** When its clock begins, and how fast it runs then; the machine's time by default. */
  clock: { start?: string; rate?: number };
  /** How fast its clock ran when its bank was last open; absent before the bank is first closed. */
  rate?: number;
  /** Whether its clock has not begun, because its bank has not been open since the reset. */
  isNew: boolean;
  /** The base URL that its data name. It is another world's, or a former one, until they move. */
  address?: string;
  /** The time at which its clock goes on when its bank opens, if its data are a copy. */
  resumesAt?: string;
  snapshots: WorldSnapshot[];
};

/** A copy of a world's database. */
export type WorldSnapshot = {
  name: string;
  createdAt: string;
  /** The world's time. */
  now: string;
  database: string;
  /** The base URL that its data name. */
  address?: string;
};

/** The folder of a world: its record, and the keys of its bank. */
export const folderOf = (root: string, name: string): string => join(root, "banks", name);

const fileOf = (root: string, name: string): string => join(folderOf(root, name), "world.json");

/** Reads the records of all worlds below the folder. */
export function readRecords(root: string): WorldRecord[] {
  const banks = join(root, "banks");
  if (!existsSync(banks)) return [];
  return readdirSync(banks)
    .map((name) => fileOf(root, name))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, "utf8")) as WorldRecord);
}

/** Stores a record. A reader sees the old or the new one. */
export function writeRecord(root: string, record: WorldRecord): void {
  mkdirSync(folderOf(root, record.name), { recursive: true, mode: 0o700 });
  const file = fileOf(root, record.name);
  writeFileSync(`${file}.draft`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}

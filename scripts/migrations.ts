// Checks that no migration has been edited or removed since it was recorded, and that each is
// recorded and says which room owns it. Run by `npm run check`. A database remembers the hash of
// each migration that it has applied, and a version with another hash refuses the database.
//
// A recorded line could be edited together with its migration. Where git has the history, no line
// of the record that a commit has had may be missing.
//
// From 0049 on, the processes of an earlier version must survive a migration (decision 0067).
//
// `npm run schema` records new migrations. test/tidy/migrations.test.ts has a case for each rule.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  firstSurvived,
  listMigrations,
  type Migration,
  migrationHash,
} from "#src/storage/migrate.ts";
import { effectsOf } from "#src/storage/migration-rules.ts";
import { headOf } from "#src/storage/migration-text.ts";
import { migrationRooms } from "./rooms.ts";
import { type Finding, report, root } from "./source-files.ts";

/** The file with a line for each migration: its name and its hash. */
export const recordPath = "migrations/hashes.txt";

/** Returns the recorded hash of each migration, by name. */
export const readRecord = (text: string): Map<string, string> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ") as [string, string]),
  );

/** Returns the text of the record with a line for each migration that it lacks. */
export function recordNew(text: string, migrations: readonly Migration[]): string {
  const record = readRecord(text);
  for (const { name, text: own } of migrations) {
    if (!record.has(name)) record.set(name, migrationHash(own));
  }
  const lines = [...record].sort(([one], [other]) => (one < other ? -1 : 1));
  return lines.map(([name, hash]) => `${name} ${hash}\n`).join("");
}

/** Returns the findings of all migrations, given the text of the record. */
export function checkMigrations(
  text: string,
  migrations: readonly Migration[],
  owners: Readonly<Record<string, string>> = migrationRooms,
): Finding[] {
  const record = readRecord(text);
  const own = new Map(migrations.map(({ name, text }) => [name, text]));
  const say = (name: string, message: string): Finding => {
    return { path: `migrations/${name}.sql`, line: 1, message };
  };
  const changed = [...record].flatMap(([name, hash]) => {
    const found = own.get(name);
    if (found === undefined) {
      return [say(name, `has landed and was removed: restore it. ${advice(name)}`)];
    }
    if (migrationHash(found) === hash) return [];
    return [say(name, `has landed and was edited: restore it. ${advice(name)}`)];
  });
  const unrecorded = migrations
    .filter(({ name }) => !record.has(name))
    .map(({ name }) => say(name, "is not recorded: run npm run schema"));
  const unowned = migrations
    .filter(({ name, text }) => !text.startsWith(`-- Room: ${owners[`${name}.sql`]}.`))
    .map(({ name }) => {
      const owner = owners[`${name}.sql`] ?? "ROOM";
      return say(name, `must begin with "-- Room: ${owner}.", as scripts/rooms.ts has it`);
    });
  return [...changed, ...unrecorded, ...unowned];
}

/** Returns a finding for each line that a commit had, and that the record now lacks. */
export function checkHistory(text: string, committed: readonly string[]): Finding[] {
  const lines = new Set(text.split("\n"));
  return [...new Set(committed)]
    .filter((line) => !lines.has(line))
    .map((line) => {
      const message = `lacks a line that a commit had: restore "${line}", and the migration with it`;
      return { path: recordPath, line: 1, message };
    });
}

/** Returns a finding for each statement of a new migration that older processes do not survive. */
export function checkSurvival(
  migrations: readonly Migration[],
  releases: readonly string[],
): Finding[] {
  return migrations
    .filter(({ name }) => name >= firstSurvived)
    .flatMap(({ name, text }) => {
      const { contractAfter, isOutsideTransaction } = headOf(text);
      const messages = effectsOf(text).flatMap(({ code, survival, because, remedy }) => {
        const shown = `"${code.slice(0, 60)}": ${because}${remedy === null ? "" : `: ${remedy}`}`;
        if (survival === "apart") return heldLocks.includes(name) ? [] : [shown];
        if (survival === "reason") return [`${shown}. ${advices.reason}`];
        if (survival === "contract" && contractAfter === null)
          return [`${shown}. ${advices.contract}`];
        if (/\bconcurrently\b/.test(code) && !isOutsideTransaction) return [advices.outside];
        return [];
      });
      if (contractAfter !== null && !releases.includes(contractAfter)) {
        messages.push(`names the release ${contractAfter}, which CHANGELOG.md does not have yet`);
      }
      return messages.map((message) => ({ path: `migrations/${name}.sql`, line: 1, message }));
    });
}

// frozen since before statements were judged together
const heldLocks: readonly string[] = ["0051_erased_facts"];

const advices = {
  reason:
    "If the bank can go on meanwhile, say why in the line before the statement: " +
    '"-- Older processes survive this: …"',
  contract:
    "First release a version that does not need it any more; then remove it in a migration with " +
    'the line "-- Contract: after release 1.2.3." in its head',
  outside: 'what is done concurrently needs the line "-- Outside a transaction." in the head',
};

/** The releases that the changelog has. */
const readReleases = (): string[] =>
  [...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(
    ([, release = ""]) => release,
  );

// the last commit that edited a migration which no version had yet
const frozenSince = "9c465faf";

/** Returns the lines that commits added to the record; none where git has no history. */
function committedLines(): string[] {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const recorded = git("show", `${frozenSince}:${recordPath}`).split("\n");
    const added = git("log", "--format=", "--patch", `${frozenSince}..HEAD`, "--", recordPath);
    return [
      ...recorded,
      ...added.split("\n").flatMap((line) => /^\+(?!\+)(.+)/.exec(line)?.[1] ?? []),
    ];
  } catch {
    console.log("migrations: git has no history here, so the record itself is not checked");
    return [];
  }
}

const advice = (name: string): string =>
  "Databases have applied it, so put the change into a new migration. If no commit has it yet, " +
  `remove the line of ${name} from ${recordPath} and run npm run schema.`;

/** Reads the record; empty if there is none. */
export function loadRecord(): string {
  const path = join(root, recordPath);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Records the migrations that are new. Returns the findings that forbid it. */
export function recordMigrations(): Finding[] {
  const migrations = listMigrations();
  const text = recordNew(loadRecord(), migrations);
  const findings = checkMigrations(text, migrations);
  if (findings.length === 0) writeFileSync(join(root, recordPath), text);
  return findings;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const migrations = listMigrations();
  process.exitCode = report("migrations", migrations.length, [
    ...checkMigrations(loadRecord(), migrations),
    ...checkSurvival(migrations, readReleases()),
    ...checkHistory(loadRecord(), committedLines()),
  ]);
}

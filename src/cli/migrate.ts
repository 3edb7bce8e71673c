import type { Config } from "#src/config/config.ts";
import { openDatabase } from "#src/server/opening/open-database.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate, readSchemaState, type SchemaState } from "#src/storage/migrate.ts";
import { type Effect, effectsOf, lockStops } from "#src/storage/migration-rules.ts";
import { headOf } from "#src/storage/migration-text.ts";
import { type Cli, type Command, type Result, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { optionsOnly, readOptions } from "./options.ts";

type Mode = (cli: Cli, config: Config, database: Database) => Promise<Result>;

/** `./aldgate migrate` */
export const command: Command = {
  name: "migrate",
  summary: "updates the database to the latest schema",
  usage: `Uses DATABASE_URL, or the embedded database in ALDGATE_DATA. \`./aldgate start\` does this too.

  --check     changes nothing; exits with 0 if the schema is up to date, with 3 if it is behind this
              version, and with 4 if it is ahead of it although this version can serve it
  --plan      changes nothing; prints each statement that would run, the lock that it takes, and
              whether processes of an earlier version survive it`,
  json: {
    "": ["applied"],
    "--check": ["state", "missing", "newer"],
    "--plan": ["migrations"],
  },
  next: [
    ["start", "opens the bank"],
    ["seed", "fills a sandbox with its customers"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      check: { type: "boolean" },
      plan: { type: "boolean" },
    });
    if (rest.length > 0) throw new UsageError(optionsOnly);
    if (values.check && values.plan) throw new UsageError("Give --check or --plan, not both.");
    const mode = values.check ? check : values.plan ? plan : apply;
    const config = configOf(cli.environment);
    const database = await openDatabase(config);
    try {
      return await mode(cli, config, database);
    } finally {
      await database.close();
    }
  },
};

const wanted = (config: Config): { withSandbox: boolean } => ({
  withSandbox: config.ALDGATE_PROFILE === "sandbox",
});

const apply: Mode = async (cli, config, database) => {
  const applied = await migrate(database, {
    ...wanted(config),
    onWaiting: (holder) => cli.complain(`Waiting for ${holder}, which is changing the schema.`),
  });
  const done = applied.map((name) => `applied ${name}`);
  return { lines: done.length === 0 ? ["The schema is up to date."] : done, json: { applied } };
};

const states = {
  "up to date": { exitCode: 0, line: "The schema is up to date." },
  behind: {
    exitCode: 3,
    line: "The schema is behind this version: run ./aldgate migrate. Missing:",
  },
  ahead: {
    exitCode: 4,
    line: "The schema is ahead of this version, which can serve it. Only a newer version has:",
  },
};

const check: Mode = async (_cli, config, database) => {
  const found = await readSchemaState(database, wanted(config));
  const missing = found.missing.map(({ name }) => name);
  const { newer } = found;
  const state = missing.length > 0 ? "behind" : newer.length > 0 ? "ahead" : "up to date";
  const { exitCode, line } = states[state];
  const names = state === "behind" ? missing : newer;
  return {
    lines: [line, ...names.map((name) => `  ${name}`)],
    json: { state, missing, newer },
    exitCode,
  };
};

const plan: Mode = async (_cli, config, database) => {
  const { missing, isNew }: SchemaState = await readSchemaState(database, wanted(config));
  const migrations = missing.map(({ name, text }) => {
    const { isOutsideTransaction, contractAfter } = headOf(text);
    // nobody uses a database that is new
    const statements = effectsOf(text).map(({ remedy, ...effect }) => ({
      ...effect,
      tables: isNew ? [] : effect.tables,
    }));
    return { name, inTransaction: !isOutsideTransaction, contractAfter, statements };
  });
  const lines = migrations.flatMap(({ name, inTransaction, contractAfter, statements }) => [
    `${name}${inTransaction ? "" : ", outside a transaction"}`,
    ...(contractAfter === null
      ? []
      : [`  processes of releases before ${contractAfter} do not survive it`]),
    ...statements.flatMap(linesOf),
  ]);
  return {
    lines: lines.length === 0 ? ["The schema is up to date."] : lines,
    json: { migrations },
  };
};

const verdicts: Record<Effect["survival"], string> = {
  yes: "an older process survives it",
  reason: "an older process may not survive it",
  apart: "an older process would have to wait",
  contract: "an older process does not survive it",
};

function linesOf({ code, lock, tables, survival, because }: Omit<Effect, "remedy">): string[] {
  const shown = code.length > 80 ? `${code.slice(0, 79)}…` : code;
  const locked =
    tables.length === 0
      ? "no lock that another process waits for"
      : `lock on ${tables.join(", ")}: ${lock}, which stops ${lockStops[lock]}`;
  return [
    `  ${shown}`,
    `    ${locked}`,
    `    ${verdicts[survival]}${because === null ? "" : `: ${because}`}`,
  ];
}

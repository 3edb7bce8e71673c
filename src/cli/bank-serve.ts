import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#src/config/config.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import type { Clock } from "#src/lib/clock.ts";
import { openDatabase } from "#src/server/opening/open-database.ts";
import { openServedBank } from "#src/server/sandbox/served-bank.ts";
import { writeArchived } from "#src/storage/archived-files.ts";
import { findTemplate } from "#src/testing/template.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { optionsOnly, readOptions, textOf } from "./options.ts";
import { createProgress, type Progress } from "./progress.ts";

/** `./aldgate bank serve` */
export const command: Command = {
  name: "bank serve",
  summary: "serves the sandbox bank as a core over HTTP, for another Aldgate",
  usage: [
    "  --port N              default: 9090; 0 picks a free port",
    "  --host HOST           default: 127.0.0.1",
    "  --certificate FILE    serves HTTPS with this certificate chain; PEM",
    "  --key FILE            the key of the certificate; PEM",
    "  --client-ca FILE      requires client certificates of these roots; PEM",
    "",
    "The bank has its ledger, its customers and a clock, in the folder `bank` below ALDGATE_DATA.",
    "It serves every operation of `./aldgate openapi bank-v1`. Ctrl-C closes it.",
  ].join("\n"),
  hasItems: true,
  json: { "": "one line, as soon as it is open: {url}" },
  next: [
    ["start --bank http://127.0.0.1:9090", "opens a bank with this core"],
    ["openapi bank-v1", "prints the contract"],
  ],
  async run(cli) {
    const { port, host, tls } = readPlace(cli.arguments);
    const given = configOf(cli.environment);
    const config = { ...given, ALDGATE_DATA: join(given.ALDGATE_DATA, "bank") };
    if (config.ALDGATE_PROFILE !== "sandbox") {
      throw new UsageError("A production bank has a core of its own: this one is for tests.");
    }
    const progress = createProgress(cli);
    await fillFolder(config, cli.clock, progress);
    const database = await openDatabase(config);
    try {
      const { clock } = cli;
      const served = await openServedBank({ config, database, clock, onProgress: progress.show });
      progress.end();
      try {
        const app = serveCore(served.core, tls ? { tls } : {});
        const url = await app.listen({ port, host });
        cli.print(`The sandbox bank is open at ${url}`, { url });
        await untilSignalled(cli);
        await app.close();
      } finally {
        await served.stop();
      }
    } finally {
      progress.end();
      await database.close();
    }
    return { lines: [], json: null };
  },
};

/** Fills a new embedded database with the one from which banks for tests are copied too. */
async function fillFolder(config: Config, clock: Clock, progress: Progress): Promise<void> {
  const folder = join(config.ALDGATE_DATA, "database");
  if (config.DATABASE_URL !== undefined || existsSync(folder)) return;
  progress.show("Preparing the customers");
  const { archive } = await findTemplate(clock.now().toZonedDateTimeISO("UTC").toPlainDate());
  writeArchived(archive, join(folder, "postgres"));
}

type Place = {
  port: number;
  host: string;
  tls: { cert: string; key: string; ca: string | null } | null;
};

function readPlace(given: string[]): Place {
  const { values, rest } = readOptions(given, {
    port: { type: "string" },
    host: { type: "string" },
    certificate: { type: "string" },
    key: { type: "string" },
    "client-ca": { type: "string" },
  });
  if (rest.length > 0) throw new UsageError(optionsOnly);
  const port = Number(textOf(values.port) ?? 9090);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError("--port must be a number from 0 to 65535.");
  }
  const [certificate, key, roots] = [values.certificate, values.key, values["client-ca"]].map(
    textOf,
  );
  if ((certificate === undefined) !== (key === undefined)) {
    throw new UsageError("--certificate and --key belong together.");
  }
  if (certificate === undefined && roots !== undefined) {
    throw new UsageError("--client-ca needs --certificate and --key.");
  }
  const tls =
    certificate === undefined || key === undefined
      ? null
      : { cert: read(certificate), key: read(key), ca: roots === undefined ? null : read(roots) };
  return { port, host: textOf(values.host) ?? "127.0.0.1", tls };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as { code?: string }).code}).`);
  }
}

const untilSignalled = (cli: Cli): Promise<void> =>
  new Promise((resolve) => cli.onSignal(() => resolve()));

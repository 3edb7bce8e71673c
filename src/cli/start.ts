import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { extname, join, resolve } from "node:path";
import { type Config, ConfigError } from "#src/config/config.ts";
import { hasOwnCore } from "#src/config/own-core.ts";
import { shownCommands } from "#src/config/shown-commands.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { isOutcomeUser } from "#src/sandbox/personas/outcome-users.ts";
import { newestInCopies } from "#src/sandbox/personas/seed-personas.ts";
import { requireFreePorts } from "#src/server/listeners/free-ports.ts";
import type { Aldgate } from "#src/server/open-server.ts";
import { openDatabase } from "#src/server/opening/open-database.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { optionsOnly, readOptions } from "./options.ts";
import { AlreadyExplained } from "./plain-fault.ts";
import { createProgress } from "./progress.ts";
import { seededMarker } from "./seed.ts";

/** `./aldgate start`, and what `npm start` runs. */
export const command: Command = {
  name: "start",
  summary: "opens the bank",
  usage:
    "  ./aldgate start [--bank URL]   URL: a core of the bank's own over HTTP (BANK_URL)\n\n" +
    "Settings come from environment variables or from the file that ALDGATE_CONFIG names.\n" +
    "docs/configuration.md lists the settings. Ctrl-C closes the bank.",
  hasItems: true,
  json: {
    "":
      "one line, as soon as the bank is open: {publicUrl, mtlsUrl, managementUrl} and, of a " +
      "sandbox, {customers, tpps, data}",
  },
  next: [
    ["demo", "runs the whole journey against the bank"],
    ["tpp create --out DIR", "registers your own TPP"],
    ["logs --follow", "shows the requests as they arrive"],
  ],
  async run(cli) {
    const environment = withBank(cli);
    const config = configOf(environment);
    const progress = createProgress(cli);
    try {
      await seedFolder(config, { ...cli, environment });
      const aldgate = await open(config, { ...cli, environment }, progress.show);
      progress.end();
      // a supervisor may send a signal as soon as it reads that the bank is open
      const closed = untilSignalled(aldgate, cli);
      announce(aldgate, config, cli);
      // otherwise, Node writes the cache only when the process exits, and never if it is killed
      flushCompileCache();
      await closed;
      return { lines: [], json: null };
    } finally {
      progress.end();
    }
  },
};

/** The settings, with the core that the option `--bank` names. */
function withBank(cli: Cli): Cli["environment"] {
  const { values, rest } = readOptions(cli.arguments, { bank: { type: "string" } });
  if (rest.length > 0) throw new UsageError(optionsOnly);
  if (typeof values.bank !== "string") return cli.environment;
  const { ALDGATE_DATA: folder } = configOf(cli.environment);
  if (existsSync(seededMarker(folder))) {
    const text = "has the sandbox's own customers. Name another folder in ALDGATE_DATA.";
    throw new UsageError(`${resolve(folder)} ${text}`);
  }
  return { ...cli.environment, BANK_URL: values.bank };
}

/** Loads the server's modules while the database opens. Each takes half a second. */
async function open(
  config: Config,
  cli: Cli,
  onProgress: (text: string, done?: number, total?: number) => void,
): Promise<Aldgate> {
  const { clock } = cli;
  if (config.ALDGATE_PROFILE !== "sandbox") {
    // the configuration is checked before anything is opened
    const [{ openServer }, kinds] = await Promise.all([
      import("#src/server/open-server.ts"),
      cli.kinds(),
    ]);
    return openServer({ config, clock, kinds, onProgress });
  }
  const host = Promise.all([import("#src/worlds/open-host.ts"), cli.kinds()]);
  onProgress("Opening the database");
  const opening = openDatabase(config, { readsOnStandbys: true });
  opening.catch(() => undefined); // awaited below
  const [{ openHost }, kinds] = await host;
  return openHost({
    config,
    clock,
    kinds,
    onProgress,
    database: await opening,
    complain: cli.complain,
    async fill({ ALDGATE_DATA: folder, DATABASE_URL: url }, time) {
      if (url !== undefined) {
        const start = time.toString({ smallestUnit: "second" });
        const settings = { ...cli.environment, DATABASE_URL: url, CLOCK_START: start };
        return seedApart(settings, ["--newest", String(newestInCopies)]);
      }
      // the one from which banks for tests are copied too
      const { findTemplate } = await import("#src/testing/template.ts");
      const { archive } = await findTemplate(time.toZonedDateTimeISO("UTC").toPlainDate());
      const { writeArchived } = await import("#src/storage/archived-files.ts");
      writeArchived(archive, join(String(folder), "database", "postgres"));
    },
  });
}

/** Fills a new embedded database. */
async function seedFolder(config: Config, cli: Cli): Promise<void> {
  if (config.ALDGATE_PROFILE !== "sandbox" || config.DATABASE_URL) return;
  // a core's customers are not the sandbox's
  if (hasOwnCore(config)) return;
  if (existsSync(seededMarker(config.ALDGATE_DATA))) return;
  await requireFreePorts(config);
  if (!existsSync(config.ALDGATE_DATA)) {
    mkdirSync(config.ALDGATE_DATA, { recursive: true, mode: 0o700 });
    writeFileSync(join(config.ALDGATE_DATA, ".gitignore"), "*\n");
  }
  cli.print(`Making a sandbox bank in ${resolve(config.ALDGATE_DATA)}`);
  // the server's modules load while the other process works
  const loaded = [import("#src/worlds/open-host.ts"), cli.kinds()];
  await Promise.all([seedApart(cli.environment, []), ...loaded]);
}

function announce(aldgate: Aldgate, config: Config, cli: Cli): void {
  const bold = (text: string): string => (cli.isTerminal ? `\u001b[1m${text}\u001b[0m` : text);
  const { publicUrl, mtlsUrl, managementUrl } = aldgate;
  const { sandbox, lines } = describeSandbox(aldgate, config, bold);
  const text = [
    `\n${bold("Aldgate is open.")}\n`,
    `  Home, documentation   ${bold(`${publicUrl}/`)}`,
    `  APIs for TPPs         ${mtlsUrl}/api/open-banking/… (mutual TLS)`,
    `  Discovery             ${publicUrl}/.well-known/openid-configuration`,
    `  Management            ${managementUrl}/metrics, ${managementUrl}/health/ready`,
    ...lines,
  ];
  cli.print(text.join("\n"), { publicUrl, mtlsUrl, managementUrl, ...sandbox });
}

type Described = {
  sandbox?: { customers: string[]; tpps: string[]; data: string };
  lines: string[];
};

/** What a sandbox adds to the announcement. */
function describeSandbox(
  { publicUrl, sandbox }: Aldgate,
  config: Config,
  bold: (text: string) => string,
): Described {
  if (!sandbox) return { lines: [] };
  const logins = sandbox.personas.map(({ login }) => login);
  const customers = logins.filter((login) => !isOutcomeUser(login));
  const tpps = sandbox.readyTpps.map(({ folder }) => folder);
  const data = config.DATABASE_URL ? "PostgreSQL" : resolve(config.ALDGATE_DATA);
  return {
    sandbox: { customers, tpps, data },
    lines: [
      `  Customers             ${customers.join(", ")} (passwords on the home page)`,
      `  Ready TPPs            ${tpps.join(", ")}`,
      `  Data                  ${data}`,
      `\nNext: ${bold(shownCommands(config)("npm run demo"))}`,
      "runs the whole journey against this bank from a second terminal,",
      `or open ${publicUrl}/ in a browser. Ctrl-C closes the bank.\n`,
    ],
  };
}

function untilSignalled(aldgate: Aldgate, cli: Cli): Promise<void> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    cli.onSignal((signal) => {
      if (signal === "SIGHUP" && aldgate.reloadKeys) {
        cli.complain(reloadedText(aldgate.reloadKeys));
        return;
      }
      signals += 1;
      if (signals > 1) process.exit(130);
      cli.complain(
        "\nClosing when requests in flight are finished. To close immediately, press Ctrl-C again.",
      );
      aldgate.close().then(resolve, reject);
    });
  });
}

/** Handles SIGHUP, the usual signal for reloading certificates. */
function reloadedText(reload: () => void): string {
  try {
    reload();
    return "The certificate files were read again and are now in use.";
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults.join("\n  ") : textOf(error);
    return `The old certificate files stay in use, because the new ones cannot be used:\n  ${faults}`;
  }
}

/**
 * Runs `./aldgate seed` with these settings in a separate process, because the embedded database
 * never returns the memory that this takes. Throws AlreadyExplained.
 */
async function seedApart(
  environment: Record<string, string | undefined>,
  options: string[],
): Promise<void> {
  // modules end with .js in the package
  const main = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);
  const child = spawn(process.execPath, [main, "seed", ...options], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  if (code !== 0) throw new AlreadyExplained("The data was not made: see the message above.");
}

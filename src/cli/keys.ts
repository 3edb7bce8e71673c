import { resolve } from "node:path";
import { openSigning } from "#src/server/keys/open-signing.ts";
import { KeyRefused } from "#src/signing/key-plan.ts";
import type { ShownKey } from "#src/signing/key-store.ts";
import { keyWarnings } from "#src/signing/key-warnings.ts";
import { serviceKeyOf } from "#src/signing/locate-key.ts";
import { type Cli, type Command, type Result, UsageError } from "./command.ts";
import { inBank } from "./in-bank.ts";
import { configOf } from "./load-config.ts";
import { readOptions, requireFile, textOf } from "./options.ts";
import type { KeyCommands } from "./remote-keys.ts";
import { BankRefused } from "./sandbox-client.ts";

const acts = ["list", "add", "rotate", "retire", "withdraw"];

/** `./aldgate keys` */
export const command: Command = {
  name: "keys",
  summary: "lists, adds, rotates, retires and withdraws the bank's signing keys",
  usage: [
    "  ./aldgate keys list                       lists every key with its state and dates",
    "  ./aldgate keys add LOCATION               publishes a key that does not sign yet",
    "      LOCATION is a PEM file, or service:NAME for a key at SIGNING_SERVICE_URL. A sandbox",
    "      generates the key if you leave LOCATION out.",
    "      --certificate FILE   the certificates of the key and its issuers (PEM); not for a sandbox",
    "  ./aldgate keys rotate [KID]               lets the next key replace the current one",
    "      --at DATE-TIME   default: as soon as a day has passed",
    "      --now            in 15 seconds, even if TPPs do not know the key yet: only in an emergency",
    "  ./aldgate keys retire KID                 stops publishing a key that does not sign",
    "      --until DATE-TIME   default: now",
    "  ./aldgate keys withdraw KID               stops publishing a leaked key immediately",
  ].join("\n"),
  json: { list: ["keys", "warnings"], "": ["key"] },
  next: [
    ["keys list", "shows every key with its state"],
    ["keys rotate", "lets the next key sign"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      certificate: { type: "string" },
      at: { type: "string" },
      now: { type: "boolean" },
      until: { type: "string" },
    });
    const [act = "list", subject, ...more] = rest;
    if (more.length > 0) throw new UsageError("Give one key.");
    if (act === "list") return list(cli);
    if (act === "add") return add(cli, subject, textOf(values.certificate));
    if (act === "rotate") {
      const at = timeOf("at", values.at);
      if (at !== undefined && values.now) throw new UsageError("Give --at or --now, not both.");
      const request = { kid: subject, at, isEmergency: values.now === true };
      return report(await withKeys(cli, (keys) => keys.rotate(request)));
    }
    if (act !== "retire" && act !== "withdraw") {
      throw new UsageError(`Unknown command "keys ${act}".`, acts);
    }
    if (subject === undefined) throw new UsageError(`keys ${act} needs the id of a key.`);
    const until = timeOf("until", values.until);
    const changed = await withKeys(cli, (keys) =>
      act === "retire" ? keys.retire({ kid: subject, until }) : keys.withdraw(subject),
    );
    return report(changed);
  },
};

async function list(cli: Cli): Promise<Result> {
  const keys = await withKeys(cli, (operator) => operator.list());
  const warnings = keyWarnings(keys, cli.clock.now().epochMilliseconds);
  return {
    lines: [...keys.map(lineOf), ...warnings.map((warning) => `Warning: ${warning}.`)],
    json: { keys, warnings },
  };
}

async function add(
  cli: Cli,
  location: string | undefined,
  certificate: string | undefined,
): Promise<Result> {
  const isSandbox = configOf(cli.environment).ALDGATE_PROFILE === "sandbox";
  if (!isSandbox && location === undefined) throw new UsageError("Name the location of the key.");
  if (!isSandbox && certificate === undefined) {
    throw new UsageError("Name the file of the key's certificate and its issuers: --certificate");
  }
  if (certificate !== undefined) requireFile(certificate);
  const added = await withKeys(cli, (keys) =>
    keys.add(
      location === undefined || serviceKeyOf(location) !== null ? location : resolve(location),
      certificate === undefined ? null : resolve(certificate),
    ),
  );
  return report(added);
}

const report = (key: ShownKey): Result => ({ lines: [lineOf(key)], json: { key } });

function lineOf(key: ShownKey): string {
  const { kid, state, location, activeFrom, publishedUntil, withdrawnAt, certificateUntil } = key;
  return [
    kid,
    state,
    location,
    `published from ${key.publishedFrom}`,
    ...(activeFrom === null ? [] : [`signs from ${activeFrom}`]),
    ...(publishedUntil === null ? [] : [`published until ${publishedUntil}`]),
    ...(withdrawnAt === null ? [] : [`withdrawn ${withdrawnAt}`]),
    ...(certificateUntil === null ? [] : [`certificate until ${certificateUntil}`]),
  ].join("  ");
}

/** Reads a time. Throws UsageError. */
function timeOf(name: string, value: string | boolean | undefined): number | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || !text.includes("T") || !/(Z|[+-]\d\d:\d\d)$/.test(text)) {
    throw new UsageError(`--${name} must be a time with an offset, such as 2027-03-31T06:00:00Z.`);
  }
  return ms;
}

/** Calls `work` with access to the configured bank's signing keys. Throws BankRefused. */
const withKeys = <T>(cli: Cli, work: (keys: KeyCommands) => Promise<T>): Promise<T> =>
  inBank(cli, {
    sandbox: (client) => work(client.signingKeys),
    async database(database, config) {
      const complain = (details: object, text: string) =>
        cli.complain(`${text}: ${JSON.stringify(details)}`);
      const log = { info: () => undefined, warn: complain, error: complain };
      const signing = openSigning({ config, database, clock: cli.clock, directory: null, log });
      try {
        await signing.store.refresh();
        const { store } = signing;
        return await work({
          ...store,
          add: (location = "", certificateFile) => store.add({ location, certificateFile }),
        });
      } catch (error) {
        if (error instanceof KeyRefused) throw new BankRefused(error.message);
        throw error;
      } finally {
        signing.close();
      }
    },
  });

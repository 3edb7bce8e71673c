import { type KnownRefusal, listRefusedFacts } from "#src/account-store/refusals.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import type { Cli, Command } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readNothing } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/** `./aldgate facts refused` */
export const command: Command = {
  name: "facts refused",
  summary: "lists the core's facts that broke a rule and have not been stored since",
  usage: [
    "  ./aldgate facts refused",
    "Lists up to 1,000 facts, the latest first, without values. The bank may be running.",
  ].join("\n"),
  json: { "": ["facts"] },
  next: [["verify", "checks that the books and the facts agree"]],
  async run(cli) {
    readNothing(cli.arguments);
    const facts = await loadRefused(cli);
    const lines = facts.length === 0 ? ["No fact was refused."] : facts.map(lineOf);
    return { lines, json: { facts } };
  },
};

async function loadRefused(cli: Cli): Promise<KnownRefusal[]> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") return configuredSandbox(cli).listRefusedFacts();
  const database = await openMadeDatabase(config);
  try {
    return await listRefusedFacts(database);
  } finally {
    await database.close();
  }
}

const lineOf = ({ refusedAt, source, kind, key, path, rule }: KnownRefusal): string =>
  `${refusedAt}  ${source}  ${kind} ${key}: ${path || "the fact"} ${rule}`;

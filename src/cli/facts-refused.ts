import { ofUnread } from "#src/account-store/forget-refusals.ts";
import { type KnownRefusal, listRefusedFacts } from "#src/account-store/refusals.ts";
import type { Command } from "./command.ts";
import { inBank } from "./in-bank.ts";
import { readNothing } from "./options.ts";

/** `./aldgate facts refused` */
export const command: Command = {
  name: "facts refused",
  summary: "lists the core's facts that broke a rule and have not been stored since",
  usage: [
    "  ./aldgate facts refused",
    "Lists up to 1,000 facts, the latest first, without values. The bank may be running.",
    "Also says whether the core's changes cannot be read at all, why, and since when.",
  ].join("\n"),
  json: { "": ["facts"] },
  next: [["verify", "checks that the books and the facts agree"]],
  async run(cli) {
    readNothing(cli.arguments);
    const facts = await inBank(cli, {
      sandbox: (client) => client.listRefusedFacts(),
      database: listRefusedFacts,
    });
    const lines = facts.length === 0 ? ["No fact was refused."] : facts.map(lineOf);
    return { lines, json: { facts } };
  },
};

const lineOf = ({ refusedAt, source, kind, key, path, rule, since, times }: KnownRefusal): string =>
  `${refusedAt}  ${source}  ${kind} ${key}: ${path || subjectOf(kind)} ${rule}` +
  (times === 1 ? "" : ` (${times} times since ${since})`);

const subjectOf = (kind: string): string => (kind === ofUnread ? "the page" : "the fact");

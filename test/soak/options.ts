import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import type { Part, PartOptions } from "./part.ts";
import { parts } from "./parts.ts";

/** What `--help` shows. */
export const usage = `npm run soak -- [parts] [options]

Attacks banks on this machine at full size: minutes for each part. Exits 1 at any finding.

Parts (all of them unless some are named):
${parts.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join("\n")}

Options:
  --seed <number>     the same seed makes the same attack; drawn and printed unless given
  --size <share>      share of the full size, such as 0.1; the default is 1
  --judge <file>      attacks nothing, and judges the history of an earlier run again
  --request <number>  fuzz: sends only the request with this number, and shows it with its answer
  --banks <number>    simulate: how many banks, in place of the size; planted: the most for a fault
  --begin <time>      simulate: when the time of the banks begins, as a finding names it;
                      dates: runs the tests only at this time
  --path <path>       simulate: only the bank of the seed with this path, as a finding names it
  --replay <text>     simulate: only these commands of this bank
  --commands <number> simulate: the most commands of a bank, in place of the usual number
  --record            simulate: adds what was simulated to test/simulation/runs.json and to its page
  --missing           planted: only faults without a seed for the present commands of simulations,
                      and only by simulations
  --only <faults>     cluster: strikes only with these faults, such as host,partition;
                      planted: plants only faults whose names contain such a text;
                      dates: runs only test files whose names contain such a text
  --help              shows this text`;

/** What a command line asks for. */
export type Given = {
  wanted: Part[];
  options: Omit<PartOptions, "history">;
  judged: string | null;
};

/** Parses the command line. Returns null if it only asks for help. */
export function readOptions(line: string[]): Given | null {
  const { values, positionals } = parseArgs({
    args: line,
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      size: { type: "string" },
      request: { type: "string" },
      only: { type: "string" },
      judge: { type: "string" },
      banks: { type: "string" },
      begin: { type: "string" },
      path: { type: "string" },
      replay: { type: "string" },
      commands: { type: "string" },
      record: { type: "boolean" },
      missing: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return null;
  const unknown = positionals.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) throw new Error(`there is no part "${unknown}"`);
  const size = Number(values.size ?? 1);
  if (!(size > 0 && size <= 1)) throw new Error("--size must be a share above 0, at most 1");
  const seed = values.seed === undefined ? randomInt(1_000_000) : readNumber("seed", values.seed);
  const request = values.request === undefined ? null : readNumber("request", values.request);
  const only = values.only === undefined ? [] : values.only.split(",");
  return {
    wanted: parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    options: {
      seed,
      size,
      request,
      only,
      banks: values.banks === undefined ? null : readNumber("banks", values.banks),
      begin: values.begin ?? null,
      path: values.path ?? null,
      replay: values.replay ?? null,
      commands: values.commands === undefined ? null : readNumber("commands", values.commands),
      record: values.record ?? false,
      missing: values.missing ?? false,
      say: () => undefined,
    },
    judged: values.judge ?? null,
  };
}

function readNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a number of at most 9 digits`);
  return Number(text);
}

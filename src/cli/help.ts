import { capitalised } from "#src/lib/plain-text.ts";
import type { Command, Result, Terminal } from "./command.ts";

/** The help of a command, in lines of text. Its end names the commands that usually follow. */
export async function helpOf(command: Command, terminal: Terminal): Promise<string> {
  return [await usageOf(command, terminal), ...jsonLines(command), ...nextLines(command)].join(
    "\n",
  );
}

/** The help of a command, as a result. */
export async function describeCommand(command: Command, terminal: Terminal): Promise<Result> {
  const { name, summary, json, hasItems = false, next } = command;
  const usage = await usageOf(command, terminal);
  const follows = next.map(([typed, what]) => ({ command: `./aldgate ${typed}`, what }));
  return {
    lines: [`${name}: ${summary}\n\n${await helpOf(command, terminal)}`],
    json: { name, summary, usage, json, hasItems, next: follows },
  };
}

/** The list of commands, as a result. */
export function describeCommands(commands: readonly Command[]): Result {
  const shown = commands.map(({ name, summary }) => ({ name, summary }));
  return {
    lines: [
      "Aldgate: a bank's Open Banking UK interface, complete and ready to run.\n",
      "Usage: ./aldgate <command> [options]      (./aldgate <command> --help for more)\n",
      ...shown.map(({ name, summary }) => `  ${name.padEnd(15)} ${summary}`),
      "\n./aldgate --version prints the version.",
      "With --json, every command prints JSON (docs/command-line.md).",
      "Next: ./aldgate start opens the bank, and ./aldgate demo runs a whole journey against it.",
    ],
    json: { commands: shown },
  };
}

/** The page of all commands: `docs/command-line.md`. */
export async function renderCommands(
  commands: readonly Command[],
  terminal: Terminal,
): Promise<string> {
  const parts = await Promise.all(
    commands.map(async (command) => {
      const text = await helpOf(command, terminal);
      return [
        "",
        `## ${command.name}`,
        "",
        `${capitalised(command.summary)}.`,
        "",
        "```text",
        text,
        "```",
      ];
    }),
  );
  return [...introduction, ...parts.flat()].join("\n");
}

const introduction = [
  "# Command line",
  "",
  "For people who run a bank or write a TPP, and for their programs. With `--json`, every command",
  "prints one JSON document to stdout, and nothing else. A command that follows or lists many things",
  "prints a line of JSON for each item. Progress messages, if there are any, go to stderr.",
  "",
  "```text",
  "$ ./aldgate tpp token nowhere money --json",
  '{"error":{"code":"usage","message":"Give the TPP\'s folder and the scope.",',
  '"allowed":["accounts","payments","fundsconfirmations"],"next":"./aldgate tpp token --help"}}',
  "```",
  "",
  "An error is one line of JSON (wrapped here) with the member `error`. The error has a `code` and a",
  "`message`. If they apply, it also lists the separate `faults`, the `allowed` values and a command that",
  "helps (`next`).",
  "",
  "| Exit code | Meaning |",
  "| --- | --- |",
  "| 0 | The command did what it describes. |",
  "| 1 | The command failed, or a check found a problem. A check prints its result and no `error`. |",
  "| 2 | The arguments or the configuration are wrong, and the command did nothing. |",
  "",
  "`./aldgate help --json` lists the commands, and `./aldgate NAME --help --json` describes one.",
  "`npm run commands` generates this page.",
];

const usageOf = async ({ usage }: Command, terminal: Terminal): Promise<string> =>
  typeof usage === "string" ? usage : usage(terminal);

/** What `--json` prints: `{kid, state}`, or words. */
const membersOf = (printed: string | readonly string[]): string =>
  typeof printed === "string" ? printed : `{${printed.join(", ")}}`;

function jsonLines({ json, hasItems }: Command): string[] {
  const prints = hasItems ? "prints a line of JSON for each item" : "prints one JSON document";
  return [
    `  --json   ${prints}:`,
    ...Object.entries(json).map(([word, printed]) =>
      word === ""
        ? `           ${membersOf(printed)}`
        : `           ${word}: ${membersOf(printed)}`,
    ),
  ];
}

function nextLines({ next }: Command): string[] {
  const width = Math.max(...next.map(([typed]) => typed.length));
  const lines = next.map(([typed, what]) => `  ./aldgate ${typed.padEnd(width)}   ${what}`);
  return ["", "Next:", ...lines];
}

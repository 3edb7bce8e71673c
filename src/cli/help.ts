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
      "\nWith --json, every command prints JSON.",
      "Next: ./aldgate start opens the bank, and ./aldgate demo runs a whole journey against it.",
    ],
    json: { commands: shown },
  };
}

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

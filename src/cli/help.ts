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
      "\nWith --json, every command prints JSON (docs/command-line.md).",
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
      return ["", `## ${command.name}`, "", `It ${command.summary}.`, "", "```text", text, "```"];
    }),
  );
  return [...introduction, ...parts.flat()].join("\n");
}

const introduction = [
  "# Command line",
  "",
  "For those who run a bank or write a TPP, and for programs that do. With `--json`, every command",
  "prints one JSON document on stdout, and nothing else. A command that follows something or lists",
  "much prints a line of JSON for each item. Progress is on stderr or left out.",
  "",
  "```text",
  "$ ./aldgate tpp token nowhere money --json",
  '{"error":{"code":"usage","message":"Give the TPP\'s folder and the scope.",',
  '"allowed":["accounts","payments","fundsconfirmations"],"next":"./aldgate tpp token --help"}}',
  "```",
  "",
  "An error is one line (broken here) with the member `error`. It has a `code`, a `message` and, if they",
  "exist, the single `faults`, the values that are `allowed` and the command that helps (`next`).",
  "",
  "| Exit code | Meaning |",
  "| --- | --- |",
  "| 0 | The command has done what it says. |",
  "| 1 | It failed, or what it checked does not hold. A check prints its result and no `error`. |",
  "| 2 | The arguments or the configuration are wrong, and nothing was done. |",
  "",
  "`./aldgate help --json` lists the commands, and `./aldgate NAME --help --json` describes one.",
  "`npm run commands` writes this page.",
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

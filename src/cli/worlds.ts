import type { ShownWorld, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { configuredSandbox, type SandboxClient } from "./sandbox-client.ts";

type Act = (given: { worlds: SandboxClient["worlds"]; name: string }) => Promise<Outcome>;

/** What an act prints: lines for people, and an object for programs. */
type Outcome = { lines: string[]; json: object };

const acts: Record<string, Act> = {
  async open({ worlds, name }) {
    const world = await worlds.open(name === "" ? {} : { name });
    return { lines: [`The world ${world.name} is open.`, "", ...linesOf(world)], json: world };
  },
  async list({ worlds }) {
    const all = await worlds.list();
    const lines = all.length === 0 ? ["There are no worlds."] : all.map(lineOf);
    return { lines, json: { worlds: all } };
  },
  async show({ worlds, name }) {
    const world = await worlds.show(name);
    return { lines: linesOf(world), json: world };
  },
  async delete({ worlds, name }) {
    await worlds.delete(name);
    return { lines: [`The world ${name} is deleted.`], json: { name } };
  },
};

const nameless = ["open", "list"];

/** `./aldgate worlds` */
export const command: Command = {
  name: "worlds",
  summary: "opens, lists and deletes worlds: sandboxes of their own beside the running one",
  usage: [
    "  ./aldgate worlds open [NAME]     opens a new world: customers, TPPs, clock and keys of its own",
    "  ./aldgate worlds list            every world with its address",
    "  ./aldgate worlds show NAME       addresses, keys, TPPs and customers",
    "  ./aldgate worlds delete NAME     deletes the world with its data and keys",
    "      --json   prints what a program needs; docs/worlds.md describes it",
  ].join("\n"),
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { json: { type: "boolean" } });
    const [word = "list", name = "", ...more] = rest;
    const act = Object.hasOwn(acts, word) ? acts[word] : undefined;
    if (!act) throw new UsageError(`Unknown command "worlds ${word}".`);
    if (more.length > 0) throw new UsageError("Give one name.");
    if (name === "" && !nameless.includes(word))
      throw new UsageError(`worlds ${word} needs a name.`);
    const { worlds } = configuredSandbox(cli);
    print(cli, await act({ worlds, name }), values.json === true);
    return 0;
  },
};

function print(cli: Cli, { lines, json }: Outcome, asJson: boolean): void {
  if (asJson) cli.print(JSON.stringify(json, null, 2));
  else for (const line of lines) cli.print(line);
}

const lineOf = ({ name, state, publicUrl, createdAt }: WorldSummary): string =>
  `${name}  ${state}  ${publicUrl}/  ${createdAt}`;

const linesOf = ({ publicUrl, mtlsUrl, now, tpps, customers, caFile }: ShownWorld): string[] => [
  `  Home, documentation   ${publicUrl}/`,
  `  APIs for TPPs         ${mtlsUrl}/api/open-banking/… (mutual TLS)`,
  `  Discovery             ${publicUrl}/.well-known/openid-configuration`,
  `  Time                  ${now}`,
  `  Root certificate      ${caFile}`,
  ...tpps.map(
    ({ name, clientId, transport }) =>
      `  ${name.padEnd(21)} ${clientId}, keys in ${folderOf(transport.certificateFile)}`,
  ),
  `  Customers             ${customers.map(({ login }) => login).join(", ")}`,
];

const folderOf = (file: string): string => file.replace(/[/\\][^/\\]*$/, "");

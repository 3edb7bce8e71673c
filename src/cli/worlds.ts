import type { ShownWorld, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import { type Command, type Result, rowOf, UsageError } from "./command.ts";
import { readOptions, textOf } from "./options.ts";
import { configuredSandbox, type SandboxClient } from "./sandbox-client.ts";

type Act = (given: Given) => Promise<Result>;

type Given = {
  worlds: SandboxClient["worlds"];
  /** The name of the world, which may be left out for a new one. */
  name: string;
  /** Another name: of a snapshot, or of the copy of a world. */
  other: string | undefined;
  snapshot: string | undefined;
  clock: { start?: string; rate?: number };
};

const opened = (world: ShownWorld, done: string): Result => ({
  lines: [`The world ${world.name} ${done}.`, "", ...linesOf(world)],
  json: world,
});

const acts: Record<string, Act> = {
  open: async ({ worlds, name, clock }) =>
    opened(await worlds.open({ ...(name === "" ? {} : { name }), clock }), "is open"),
  async list({ worlds }) {
    const all = await worlds.list();
    const lines = all.length === 0 ? ["There are no worlds."] : all.map(lineOf);
    return { lines, json: { worlds: all } };
  },
  async show({ worlds, name }) {
    const world = await worlds.show(name);
    return { lines: linesOf(world), json: world };
  },
  reset: async ({ worlds, name }) => opened(await worlds.reset(name), "is as it began"),
  async snapshot({ worlds, name, other }) {
    const world = await worlds.snapshot(name, named(other));
    const taken = world.snapshots.at(-1)?.name;
    return { lines: [`The snapshot ${taken} of ${name} is taken.`], json: world };
  },
  restore: async ({ worlds, name, other }) =>
    opened(
      await worlds.restore(name, other === undefined ? {} : { snapshot: other }),
      "is restored",
    ),
  fork: async ({ worlds, name, other, snapshot }) =>
    opened(
      await worlds.fork(name, { ...named(other), ...(snapshot === undefined ? {} : { snapshot }) }),
      `is a copy of ${name}`,
    ),
  async delete({ worlds, name }) {
    await worlds.delete(name);
    return { lines: [`The world ${name} is deleted.`], json: { name } };
  },
};

const named = (name: string | undefined): { name?: string } => (name === undefined ? {} : { name });

const nameless = ["open", "list"];
const withOther = ["snapshot", "restore", "fork"];

/** `./aldgate worlds` */
export const command: Command = {
  name: "worlds",
  summary: "opens, resets, copies and deletes worlds: separate banks in the running sandbox",
  usage: [
    "  ./aldgate worlds open [NAME]     opens a new world with its own customers, TPPs, clock and keys",
    "      --clock TIME     when the world starts, such as 2027-03-01T09:00Z (default: now)",
    "      --rate N         the speed of its clock: 0 stands still, 1 is normal (default)",
    "  ./aldgate worlds list            lists every world with its address",
    "  ./aldgate worlds show NAME       shows the addresses, keys, TPPs and customers",
    "  ./aldgate worlds reset NAME      brings back the first customers, balances and time; TPPs stay",
    "  ./aldgate worlds snapshot NAME [SNAPSHOT]   saves its data",
    "  ./aldgate worlds restore NAME [SNAPSHOT]    returns to a snapshot (default: the latest)",
    "  ./aldgate worlds fork NAME [NEW]            opens a copy of the world",
    "      --snapshot NAME  copies a snapshot instead of the current state",
    "  ./aldgate worlds delete NAME     deletes the world with its data, snapshots and keys",
  ].join("\n"),
  json: {
    list: ["worlds"],
    delete: ["name"],
    "": "the world, as `GET /sandbox/v1/worlds/{name}` returns it (docs/worlds.md)",
  },
  next: [
    ["worlds show NAME", "shows the addresses, keys and customers"],
    ["worlds reset NAME", "brings back its first customers and balances"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      clock: { type: "string" },
      rate: { type: "string" },
      snapshot: { type: "string" },
    });
    const [word = "list", name = "", other, ...more] = rest;
    const act = rowOf(acts, word, `Unknown command "worlds ${word}".`);
    if (more.length > 0 || (other !== undefined && !withOther.includes(word))) {
      throw new UsageError("Give one name.");
    }
    if (name === "" && !nameless.includes(word))
      throw new UsageError(`worlds ${word} needs a name.`);
    const { worlds } = configuredSandbox(cli);
    const clock = clockOf(textOf(values.clock), textOf(values.rate));
    const snapshot = textOf(values.snapshot);
    return act({ worlds, name, other, snapshot, clock });
  },
};

/** The bank judges the time. Throws UsageError for a rate that is not a number. */
function clockOf(start: string | undefined, rate: string | undefined): Given["clock"] {
  if (rate !== undefined && !/^\d{1,5}$/.test(rate)) {
    throw new UsageError("--rate must be a number from 0 to 86400.");
  }
  return {
    ...(start === undefined ? {} : { start }),
    ...(rate === undefined ? {} : { rate: Number(rate) }),
  };
}

const lineOf = ({ name, state, publicUrl, now }: WorldSummary): string =>
  `${name}  ${state}  ${publicUrl}/${now === null ? "" : `  its time ${now}`}`;

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

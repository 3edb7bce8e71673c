import { ConfigError } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { plainMessage } from "./plain-message.ts";

// Loaded on demand, so that starting the bank does not load the demo.
const commands: Record<string, () => Promise<{ command: Command }>> = {
  start: () => import("./start.ts"),
  demo: () => import("./demo.ts"),
  "tpp create": () => import("./tpp-create.ts"),
  "tpp token": () => import("./tpp-token.ts"),
  "tpp sign": () => import("./tpp-sign.ts"),
  "tpp authorise": () => import("./tpp-authorise.ts"),
  "tpp register": () => import("./tpp-register.ts"),
  "tpp lint": () => import("./tpp-lint.ts"),
  "tpp delete": () => import("./tpp-delete.ts"),
  clients: () => import("./clients.ts"),
  keys: () => import("./keys.ts"),
  "signing-service": () => import("./signing-service.ts"),
  "events list": () => import("./events-list.ts"),
  "events resend": () => import("./events-resend.ts"),
  "vrp contracts": () => import("./vrp-contracts.ts"),
  "vrp grant": () => import("./vrp-grant.ts"),
  "vrp withdraw": () => import("./vrp-withdraw.ts"),
  "vrp status": () => import("./vrp-status.ts"),
  "vrp metering": () => import("./vrp-metering.ts"),
  explain: () => import("./explain.ts"),
  judge: () => import("./judge.ts"),
  logs: () => import("./logs.ts"),
  robust: () => import("./robust.ts"),
  listen: () => import("./listen.ts"),
  act: () => import("./act.ts"),
  worlds: () => import("./worlds.ts"),
  customers: () => import("./customers.ts"),
  "payments stuck": () => import("./payments-stuck.ts"),
  verify: () => import("./verify.ts"),
  reconcile: () => import("./reconcile.ts"),
  routes: () => import("./routes.ts"),
  openapi: () => import("./openapi.ts"),
  migrate: () => import("./migrate.ts"),
  seed: () => import("./seed.ts"),
  config: () => import("./config.ts"),
};

/** Runs one command and returns the exit code: 0 done, 1 failed, 2 wrong arguments. */
export async function runCli(cli: Cli): Promise<number> {
  const [first = "start", second = ""] = inUsualOrder(cli.arguments);
  if (isHelp(first)) return printOverview(cli, Object.keys(commands));
  const name = [`${first} ${second}`, first].find((candidate) =>
    Object.hasOwn(commands, candidate),
  );
  const load = name === undefined ? undefined : commands[name];
  if (name === undefined || !load) return answerUnknown(cli, first, second);
  const rest = cli.arguments.slice(name.split(" ").length);
  const { command } = await load();
  if (rest.some((one) => one === "--help" || one === "-h") || isHelp(cli.arguments[0] ?? "")) {
    cli.print(`${command.name}: ${command.summary}\n\n${await usageOf(command, cli)}`);
    return 0;
  }
  try {
    return await command.run({ ...cli, arguments: rest });
  } catch (error) {
    if (error instanceof UsageError) {
      cli.complain(`${error.message}\n\n${await usageOf(command, cli)}`);
      return 2;
    }
    if (error instanceof ConfigError) {
      cli.complain(`The configuration cannot be used:\n  ${error.faults.join("\n  ")}`);
      return 2;
    }
    const plain = plainMessage(error, configOf(cli.environment));
    if (plain === null) throw error;
    cli.complain(plain);
    return 1;
  }
}

const usageOf = async ({ usage }: Command, cli: Cli): Promise<string> =>
  typeof usage === "string" ? usage : usage(cli);

const isHelp = (text: string): boolean => ["help", "--help", "-h"].includes(text);

/** `help tpp create` asks for the same as `tpp create --help`. */
const inUsualOrder = ([first = "start", ...rest]: string[]): string[] =>
  isHelp(first) && rest.length > 0 ? [...rest, "--help"] : [first, ...rest];

/** Handles a name that is not a command: lists the commands of the group if it names a group. */
async function answerUnknown(cli: Cli, first: string, second: string): Promise<number> {
  const group = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  if (group.length > 0 && isHelp(second)) return printOverview(cli, group);
  if (group.length === 0) {
    cli.complain(`Unknown command "${first}". \`./aldgate --help\` lists the commands.`);
  } else {
    const wrong = second === "" ? `"${first}" is a group` : `Unknown command "${first} ${second}"`;
    cli.complain(`${wrong}. Its commands are ${group.join(", ")}.`);
    cli.complain(`\`./aldgate ${first} --help\` says what they do.`);
  }
  return 2;
}

async function printOverview(cli: Cli, names: readonly string[]): Promise<number> {
  cli.print("Aldgate: a bank's Open Banking UK interface, complete and ready to run.\n");
  cli.print("Usage: ./aldgate <command> [options]      (./aldgate <command> --help for more)\n");
  for (const name of names) {
    const { command } = await present(commands[name], name)();
    cli.print(`  ${command.name.padEnd(15)} ${command.summary}`);
  }
  return 0;
}

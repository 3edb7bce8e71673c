import { ConfigError } from "#src/config/config.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { plainMessage } from "./plain-message.ts";

// Loaded when called: starting the bank must not wait for what the demo needs.
const commands: Record<string, () => Promise<{ command: Command }>> = {
  start: () => import("./start.ts"),
  demo: () => import("./demo.ts"),
  "tpp create": () => import("./tpp-create.ts"),
  "tpp token": () => import("./tpp-token.ts"),
  "tpp sign": () => import("./tpp-sign.ts"),
  "tpp authorise": () => import("./tpp-authorise.ts"),
  verify: () => import("./verify.ts"),
  routes: () => import("./routes.ts"),
  openapi: () => import("./openapi.ts"),
  migrate: () => import("./migrate.ts"),
  seed: () => import("./seed.ts"),
  config: () => import("./config.ts"),
};

/** Runs one command and gives the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runCli(cli: Cli): Promise<number> {
  const [first = "start", second = ""] = cli.arguments;
  if (first === "help" || first === "--help" || first === "-h") return printOverview(cli);
  const name = [`${first} ${second}`, first].find((candidate) => candidate in commands);
  const load = name === undefined ? undefined : commands[name];
  if (name === undefined || !load) {
    cli.complain(`There is no command "${first}". \`./aldgate --help\` lists those that exist.`);
    return 2;
  }
  const rest = cli.arguments.slice(name.split(" ").length);
  const { command } = await load();
  if (rest.includes("--help")) {
    cli.print(`${command.name}: ${command.summary}\n\n${command.usage}`);
    return 0;
  }
  try {
    return await command.run({ ...cli, arguments: rest });
  } catch (error) {
    if (error instanceof UsageError) {
      cli.complain(`${error.message}\n\n${command.usage}`);
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

async function printOverview(cli: Cli): Promise<number> {
  cli.print("Aldgate: a bank's Open Banking UK interface, complete and ready to run.\n");
  cli.print("Usage: ./aldgate <command> [options]      (./aldgate <command> --help for more)\n");
  for (const load of Object.values(commands)) {
    const { command } = await load();
    cli.print(`  ${command.name.padEnd(15)} ${command.summary}`);
  }
  return 0;
}

import { ConfigError } from "#src/config/config.ts";
import { type Command, type Terminal, UsageError } from "./command.ts";
import { describeCommand, describeCommands, helpOf, renderCommands } from "./help.ts";
import { configOf } from "./load-config.ts";
import { plainFault } from "./plain-fault.ts";
import { createOutput, type Output, takeJson } from "./results.ts";

// Loaded on demand, so that starting the bank does not load the demo.
const commands: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
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
  "consents list": () => import("./consents-list.ts"),
  "consents show": () => import("./consents-show.ts"),
  "consents stop": () => import("./consents-stop.ts"),
  explain: () => import("./explain.ts"),
  judge: () => import("./judge.ts"),
  logs: () => import("./logs.ts"),
  robust: () => import("./robust.ts"),
  listen: () => import("./listen.ts"),
  act: () => import("./act.ts"),
  clock: () => import("./clock.ts"),
  control: () => import("./control.ts"),
  worlds: () => import("./worlds.ts"),
  customers: () => import("./customers.ts"),
  "payments stuck": () => import("./payments-stuck.ts"),
  "bank serve": () => import("./bank-serve.ts"),
  notices: () => import("./notices.ts"),
  "notices skip": () => import("./notices-skip.ts"),
  "bank test": () => import("./bank-test.ts"),
  "facts load": () => import("./facts-load.ts"),
  "facts refused": () => import("./facts-refused.ts"),
  "data export": () => import("./data-export.ts"),
  "data erase": () => import("./data-erase.ts"),
  verify: () => import("./verify.ts"),
  reconcile: () => import("./reconcile.ts"),
  routes: () => import("./routes.ts"),
  openapi: () => import("./openapi.ts"),
  collection: () => import("./collection.ts"),
  migrate: () => import("./migrate.ts"),
  seed: () => import("./seed.ts"),
  config: () => import("./config.ts"),
};

/** Runs one command and returns the exit code: 0 done, 1 failed, 2 wrong arguments. */
export async function runCli(terminal: Terminal): Promise<number> {
  const { asJson, words } = takeJson(terminal.arguments);
  const output = createOutput(terminal, asJson);
  const ordered = inUsualOrder(words);
  const [first = "start", second = ""] = ordered;
  if (isHelp(first)) return showList(output, Object.keys(commands));
  if (first === "--version" || first === "-v") return showVersion(output);
  if (words.join(" ") === "help --reference") return showPage(output, terminal);
  const name = [`${first} ${second}`, first].find((candidate) =>
    Object.hasOwn(commands, candidate),
  );
  const load = name === undefined ? undefined : commands[name];
  if (name === undefined || !load) return answerUnknown(output, first, second);
  const rest = ordered.slice(name.split(" ").length);
  const { command } = await load();
  if (rest.some((one) => one === "--help" || one === "-h")) {
    return output.show(await describeCommand(command, terminal));
  }
  try {
    return output.show(await command.run({ ...output.cli, arguments: rest }));
  } catch (error) {
    return report(error, command, terminal, output);
  }
}

/** Reports an error of a command and returns the exit code. Throws an error that is a bug. */
async function report(
  error: unknown,
  command: Command,
  terminal: Terminal,
  output: Output,
): Promise<number> {
  if (error instanceof UsageError) {
    const { message, allowed } = error;
    const next = `./aldgate ${command.name} --help`;
    output.fail({ code: "usage", message, allowed, next }, await helpOf(command, terminal));
    return 2;
  }
  if (error instanceof ConfigError) {
    const message = "The configuration cannot be used:";
    const next = "./aldgate config --reference";
    output.fail({ code: "configuration", message, faults: error.faults, next });
    return 2;
  }
  const fault = plainFault(error, configOf(terminal.environment));
  if (fault === null) {
    output.crash(error);
    throw error;
  }
  output.fail(fault);
  return 1;
}

const isHelp = (text: string): boolean => ["help", "--help", "-h"].includes(text);

/** `help tpp create` asks for the same as `tpp create --help`. */
const inUsualOrder = ([first = "start", ...rest]: string[]): string[] =>
  isHelp(first) && rest.length > 0 ? [...rest, "--help"] : [first, ...rest];

/** Handles a name that is not a command: lists the commands of the group if it names a group. */
async function answerUnknown(output: Output, first: string, second: string): Promise<number> {
  const group = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  if (group.length > 0 && isHelp(second)) return showList(output, group);
  const code = "unknown-command";
  if (group.length === 0) {
    const message = `Unknown command "${first}". \`./aldgate --help\` lists the commands.`;
    output.fail({ code, message, allowed: Object.keys(commands), next: "./aldgate --help" });
  } else {
    const wrong = second === "" ? `"${first}" is a group` : `Unknown command "${first} ${second}"`;
    const next = `./aldgate ${first} --help`;
    const message =
      `${wrong}. Its commands are ${group.join(", ")}.\n` + `\`${next}\` says what they do.`;
    output.fail({ code, message, allowed: group, next });
  }
  return 2;
}

async function showList(output: Output, names: readonly string[]): Promise<number> {
  return output.show(describeCommands(await loadCommands(names)));
}

async function showVersion(output: Output): Promise<number> {
  const { ownVersion: version } = await import("#src/storage/migrate.ts");
  return output.show({ lines: [version], json: { version } });
}

/** Prints the page about every command. */
async function showPage(output: Output, terminal: Terminal): Promise<number> {
  const markdown = await renderCommands(await loadCommands(Object.keys(commands)), terminal);
  return output.show({ lines: [markdown], json: { markdown } });
}

async function loadCommands(names: readonly string[]): Promise<Command[]> {
  const loaded = await Promise.all(names.flatMap((name) => commands[name]?.() ?? []));
  return loaded.map(({ command }) => command);
}

import { existsSync, readFileSync } from "node:fs";
import { addressesOf } from "#src/config/addresses.ts";
import type {
  ClientDetails,
  ClientOperator,
  ShownClient,
} from "#src/registration/client-operator.ts";
import { readAnchors } from "#src/server/keys/keys.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import { openRegistration } from "#src/server/opening/open-registration.ts";
import { type Cli, type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { profileOf, profileUsage, readOptions, textOf } from "./options.ts";
import { BankRefused, configuredSandbox } from "./sandbox-client.ts";

type Act = "suspend" | "restore" | "remove";
const statuses = { suspend: "suspended", restore: "active", remove: "removed" } as const;
const done: Record<Act, string> = {
  suspend: "is suspended: every process refuses its next request",
  restore: "is served again",
  remove: "is removed: its tokens, its access and its event subscription have ended",
};

/** `./aldgate clients` */
export const command: Command = {
  name: "clients",
  summary: "registers, lists, suspends and removes TPPs, for the bank's operators",
  usage: [
    "  ./aldgate clients list                    every client, the newest first",
    "  ./aldgate clients show CLIENT_ID          what is registered, keys, attempts, changes",
    "  ./aldgate clients check CLIENT_ID         reads its status in the directory now",
    "  ./aldgate clients add STATEMENT.jwt --certificate CLIENT.pem",
    "      --auth METHOD    private_key_jwt (default) or tls_client_auth",
    `      --profile NAME   ${profileUsage}`,
    "      --scope TEXT     default: all scopes that the roles of the statement allow",
    "  ./aldgate clients suspend CLIENT_ID       refuses the client until you restore it",
    "  ./aldgate clients restore CLIENT_ID",
    "  ./aldgate clients remove CLIENT_ID        removes the client permanently; its records stay",
  ].join("\n"),
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      certificate: { type: "string" },
      auth: { type: "string" },
      profile: { type: "string" },
      scope: { type: "string" },
    });
    const [act = "list", subject, ...more] = rest;
    if (more.length > 0) throw new UsageError("Give one client id or one statement.");
    if (act === "list") return withClients(cli, (clients) => list(cli, clients));
    if (subject === undefined) throw new UsageError(`clients ${act} needs an argument.`);
    if (act === "show") return withClients(cli, (clients) => show(cli, clients, subject));
    if (act === "check") return withClients(cli, (clients) => check(cli, clients, subject));
    if (act === "add") return withClients(cli, (clients) => add(cli, clients, subject, values));
    if (!Object.hasOwn(statuses, act)) throw new UsageError(`Unknown command "clients ${act}".`);
    return withClients(cli, (clients) => change(cli, clients, act as Act, subject));
  },
};

async function list(cli: Cli, clients: ClientOperator): Promise<number> {
  const all = await clients.list();
  for (const client of all) cli.print(lineOf(client));
  if (all.length === 0) cli.print("No client is registered.");
  return 0;
}

function lineOf(client: ShownClient): string {
  const { clientId, status, softwareName, onBehalfOf, roles, method, createdAt } = client;
  const name = onBehalfOf === null ? softwareName : `${softwareName} (for ${onBehalfOf})`;
  return `${clientId}  ${status}  ${name}  ${roles.join(",")}  ${method}  ${createdAt}`;
}

async function show(cli: Cli, clients: ClientOperator, clientId: string): Promise<number> {
  const client = await clients.show(clientId);
  if (!client) throw new BankRefused(unknown(clientId));
  for (const line of detailsOf(client)) cli.print(line);
  return 0;
}

async function check(cli: Cli, clients: ClientOperator, clientId: string): Promise<number> {
  if (!(await clients.show(clientId))) throw new BankRefused(unknown(clientId));
  const failure = await clients.check(clientId);
  if (failure !== null) throw new BankRefused(failure);
  const client = await clients.show(clientId);
  for (const line of client ? standingOf(client) : []) cli.print(line);
  return 0;
}

const standingOf = (client: ClientDetails): string[] => [
  `status        ${client.status}${client.suspendedBy ? ` by the ${client.suspendedBy}` : ""}`,
  ...(client.suspendedBecause === null ? [] : [`because       ${client.suspendedBecause}`]),
  ...client.withheldScopes.map(
    (scope) => `withheld      ${scope}: the directory does not allow it`,
  ),
  `checked       ${client.statusReadAt ?? "never"}`,
];

const keySourceOf = ({ jwksUri, statementIssuer }: ClientDetails): string =>
  jwksUri ?? (statementIssuer === null ? "the registration" : "the software statement");

const detailsOf = (client: ClientDetails): string[] => [
  lineOf(client),
  ...standingOf(client),
  `organisation  ${client.organisationId} ${client.organisationName}`,
  `software      ${client.softwareId}`,
  `statement of  ${client.statementIssuer ?? "nobody: the bank registered it"}`,
  `keys from     ${keySourceOf(client)}`,
  `certificate   ${client.certificateSubject ?? "none"}`,
  `profile       ${client.profile}`,
  `scope         ${client.scope}`,
  ...client.redirectUris.map((uri) => `redirect      ${uri}`),
  ...client.keys.map(({ kid, use, state }) => `key           ${kid} ${use} ${state}`),
  ...client.attempts.map(
    ({ at, method, status, rule }) => `attempt       ${at} ${method} ${status} ${rule ?? ""}`,
  ),
  ...client.changes.flatMap(({ at, cause, changed }) =>
    Object.entries(changed).map(([name, values]) => {
      const [before, after] = values.map((value) => JSON.stringify(value));
      return `change        ${at} ${cause} ${name}: ${before} -> ${after}`;
    }),
  ),
];

const unknown = (clientId: string): string =>
  `There is no client ${clientId}. \`./aldgate clients list\` lists the clients.`;

async function add(
  cli: Cli,
  clients: ClientOperator,
  path: string,
  values: Partial<Record<"certificate" | "auth" | "profile" | "scope", string | boolean>>,
): Promise<number> {
  const method = textOf(values.auth) ?? "private_key_jwt";
  if (method !== "private_key_jwt" && method !== "tls_client_auth") {
    throw new UsageError(`There is no authentication method "${method}".`);
  }
  const profile = profileOf(values.profile);
  const certificate = textOf(values.certificate);
  if (certificate === undefined) {
    throw new UsageError("Name the TPP's client certificate (PEM) with --certificate.");
  }
  const outcome = await clients.add({
    statement: read(path),
    method,
    profile,
    certificatePem: read(certificate),
    scope: textOf(values.scope),
  });
  if (outcome.faults === null) {
    cli.print(`Registered the client ${outcome.clientId}.`);
    return 0;
  }
  for (const { rule, error, description } of outcome.faults) {
    cli.complain(`${rule}  ${error}: ${description}`);
  }
  return 1;
}

function read(path: string): string {
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
  return readFileSync(path, "utf8");
}

async function change(
  cli: Cli,
  clients: ClientOperator,
  act: Act,
  clientId: string,
): Promise<number> {
  const client = await clients.show(clientId);
  if (!client) throw new BankRefused(unknown(clientId));
  if (!(await clients.setStatus(clientId, statuses[act]))) {
    throw new BankRefused(`The client ${clientId} is ${client.status}, so it cannot be changed.`);
  }
  cli.print(`The client ${clientId} ${done[act]}.`);
  return 0;
}

/**
 * Calls `work` with the operator's functions for the configured bank's clients: through the
 * sandbox's interface if the bank is a sandbox, otherwise in its database.
 */
async function withClients<T>(cli: Cli, work: (clients: ClientOperator) => Promise<T>): Promise<T> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") return work(configuredSandbox(cli).clients);
  const database = await openMadeDatabase(config);
  try {
    const { operator } = openRegistration({
      ...addressesOf(config),
      config,
      database,
      clock: cli.clock,
      machineClock: cli.clock,
      clientCa: readAnchors(config),
      kinds: await cli.kinds(),
      log: { warn: (details, text) => cli.complain(`${text}: ${JSON.stringify(details)}`) },
    });
    return await work(operator);
  } finally {
    await database.close();
  }
}

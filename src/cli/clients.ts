import { addressesOf } from "#src/config/addresses.ts";
import type {
  ClientDetails,
  ClientOperator,
  ShownClient,
} from "#src/registration/client-operator.ts";
import { readAnchors } from "#src/server/keys/keys.ts";
import { openRegistration } from "#src/server/opening/open-registration.ts";
import { type Cli, type Command, type Result, rowOf, UsageError } from "./command.ts";
import { inBank } from "./in-bank.ts";
import { methodOf, profileOf, profileUsage, readGiven, readOptions, textOf } from "./options.ts";
import { BankRefused } from "./sandbox-client.ts";

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
    "  ./aldgate clients list                    lists every client, latest first",
    "  ./aldgate clients show CLIENT_ID          shows the registration, keys, attempts and changes",
    "  ./aldgate clients check CLIENT_ID         reads its status in the directory now",
    "  ./aldgate clients add STATEMENT.jwt --certificate CLIENT.pem",
    "      --auth METHOD    private_key_jwt (default) or tls_client_auth",
    `      --profile NAME   ${profileUsage}`,
    "      --scope TEXT     default: all scopes that the statement's roles allow",
    "  ./aldgate clients suspend CLIENT_ID       rejects the client's requests until you restore it",
    "  ./aldgate clients restore CLIENT_ID",
    "  ./aldgate clients remove CLIENT_ID        removes the client permanently; its records stay",
  ].join("\n"),
  json: {
    list: ["clients"],
    show: ["client"],
    check: ["client"],
    add: ["clientId", "faults"],
    "": ["clientId", "status"],
  },
  next: [
    ["clients show CLIENT_ID", "shows the client's registration"],
    ["logs --client CLIENT_ID", "lists the client's requests"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      certificate: { type: "string" },
      auth: { type: "string" },
      profile: { type: "string" },
      scope: { type: "string" },
    });
    const [act = "list", subject, ...more] = rest;
    if (more.length > 0) throw new UsageError("Give one client id or one statement.");
    if (act === "list") return withClients(cli, list);
    if (subject === undefined) throw new UsageError(`clients ${act} needs an argument.`);
    if (act === "show") return withClients(cli, (clients) => show(clients, subject));
    if (act === "check") return withClients(cli, (clients) => check(clients, subject));
    if (act === "add") return withClients(cli, (clients) => add(clients, subject, values));
    rowOf({ ...statuses, list, show, check, add }, act, `Unknown command "clients ${act}".`);
    return withClients(cli, (clients) => change(clients, act as Act, subject));
  },
};

async function list(operator: ClientOperator): Promise<Result> {
  const clients = await operator.list();
  const lines = clients.length === 0 ? ["No client is registered."] : clients.map(lineOf);
  return { lines, json: { clients } };
}

function lineOf(client: ShownClient): string {
  const { clientId, status, softwareName, onBehalfOf, roles, method, createdAt } = client;
  const name = onBehalfOf === null ? softwareName : `${softwareName} (for ${onBehalfOf})`;
  return `${clientId}  ${status}  ${name}  ${roles.join(",")}  ${method}  ${createdAt}`;
}

async function show(clients: ClientOperator, clientId: string): Promise<Result> {
  const client = await clients.show(clientId);
  if (!client) throw new BankRefused(unknown(clientId));
  return { lines: detailsOf(client), json: { client } };
}

async function check(clients: ClientOperator, clientId: string): Promise<Result> {
  if (!(await clients.show(clientId))) throw new BankRefused(unknown(clientId));
  const failure = await clients.check(clientId);
  if (failure !== null) throw new BankRefused(failure);
  const client = await clients.show(clientId);
  return { lines: client ? standingOf(client) : [], json: { client } };
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
  clients: ClientOperator,
  path: string,
  values: Partial<Record<"certificate" | "auth" | "profile" | "scope", string | boolean>>,
): Promise<Result> {
  const method = methodOf(values.auth, "private_key_jwt");
  const profile = profileOf(values.profile);
  const certificate = textOf(values.certificate);
  if (certificate === undefined) {
    throw new UsageError("Name the TPP's client certificate (PEM) with --certificate.");
  }
  const outcome = await clients.add({
    statement: readGiven(path),
    method,
    profile,
    certificatePem: readGiven(certificate),
    scope: textOf(values.scope),
  });
  const { clientId } = outcome;
  const faults = outcome.faults ?? [];
  return {
    lines: clientId === null ? [] : [`Registered the client ${clientId}.`],
    json: { clientId, faults },
    complaints: faults.map(({ rule, error, description }) => `${rule}  ${error}: ${description}`),
    exitCode: clientId === null ? 1 : 0,
  };
}

async function change(clients: ClientOperator, act: Act, clientId: string): Promise<Result> {
  const client = await clients.show(clientId);
  if (!client) throw new BankRefused(unknown(clientId));
  if (!(await clients.setStatus(clientId, statuses[act]))) {
    throw new BankRefused(`The client ${clientId} is ${client.status}, so it cannot be changed.`);
  }
  return {
    lines: [`The client ${clientId} ${done[act]}.`],
    json: { clientId, status: statuses[act] },
  };
}

/** Calls `work` with the operator's functions for the configured bank's clients. */
const withClients = <T>(cli: Cli, work: (clients: ClientOperator) => Promise<T>): Promise<T> =>
  inBank(cli, {
    sandbox: (client) => work(client.clients),
    async database(database, config) {
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
      return work(operator);
    },
  });

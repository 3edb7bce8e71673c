import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type * as worldModule from "./fuzz/world.ts";

// The journeys of an earlier build, sent by that build's own client to any build: TPPs of every
// profile create consents of every kind and version, customers decide, orders are made, and what
// came of it is read. The answers of two builds are compared.

/** What a call was answered: the shape of a body has its members and types, but no values. */
type Answered = { call: string; status: number; shape: Shape };

type Shape = string | { [member: string]: Shape };

/** The journeys of a build. */
export type Journeys = {
  /** Sends all of them to a bank. */
  send(address: BankAddress): Promise<Answered[]>;
};

/** Loads the journeys from the source of a build. */
export async function loadJourneys(root: string): Promise<Journeys> {
  const load = (path: string) => import(pathToFileURL(join(root, path)).href);
  const world: typeof worldModule = await load("test/attacks/fuzz/world.ts");
  const client: { TppClient: typeof TppClient } = await load("src/sandbox/test-tpp/tpp-client.ts");
  return {
    async send(address) {
      const answers: Answered[] = [];
      const stop = record(client.TppClient.prototype, answers);
      try {
        const made = await world.createSurroundings(address);
        await readAll(made);
        made.close();
      } finally {
        stop();
      }
      return answers;
    },
  };
}

/** Records what the clients are answered, until it is stopped. */
function record(prototype: TppClient, answers: Answered[]): () => void {
  const { call, tokenAnswer } = prototype;
  const note = ({ status, body }: Answer, what: string): void =>
    void answers.push({ call: what, status, shape: shapeOf(body) });
  prototype.call = async function <Body>(this: TppClient, sent: Parameters<typeof call>[0]) {
    const answer = await call.call(this, sent);
    const { method = sent.body === undefined ? "GET" : "POST", path } = sent;
    note(answer, `${method} ${templateOf(path)}`);
    return answer as Answer<Body>;
  };
  prototype.tokenAnswer = async function (this: TppClient, parameters) {
    const answer = await tokenAnswer.call(this, parameters);
    note(answer, `token by ${parameters.grant_type}`);
    return answer;
  };
  return () => {
    prototype.call = call;
    prototype.tokenAnswer = tokenAnswer;
  };
}

/** Reads every resource of the account APIs, and every consent and order. */
async function readAll({ actors }: worldModule.World): Promise<void> {
  for (const { client, orders, consents, accesses, clientToken } of actors) {
    const token = await clientToken("payments");
    const read = (path: string, by: string | null = token) => client.call({ path, token: by });
    for (const [kind, ids] of orders) for (const id of ids) await read(`${pathOf(kind)}s/${id}`);
    for (const [kind, all] of consents) {
      for (const { consentId } of all) await read(`${pathOf(kind)}-consents/${consentId}`);
    }
    for (const { token: own } of accesses.accounts.consents) {
      for (const version of ["v3.1", "v4.0"]) {
        for (const resource of resources) await read(`/${version}/aisp/${resource}`, own);
      }
    }
  }
}

// only of the seeded days, because the orders of the load change the newest page
const before = Temporal.Now.instant().subtract({ hours: 24 }).toString().slice(0, 19);

const resources = [
  "accounts",
  "balances",
  "beneficiaries",
  "direct-debits",
  `transactions?toBookingDateTime=${before}`,
];

/** "pisp-v4.0 domestic-payment" → "/v4.0/pisp/domestic-payment" */
function pathOf(kind: string): string {
  const [version = "", id = ""] = kind.split(" ");
  const [api = "", number = ""] = version.split("-");
  return `/${number}/${api}/${id}`;
}

const templateOf = (path: string): string =>
  path.replace(/\/(?!v\d\.\d\/)[^/]*\d[^/]*(?=\/|$)/g, "/…");

/** The members and types of a body. */
export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value)) return { "[]": value.map(shapeOf).reduce(merge, {}) };
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [nameIn(value, name), shapeOf(one)]),
  );
}

const reasons = "StatusReason";
const ofStatus = `${reasons} of `;

/** The name of a member. Each status has its own reasons, and an order may have moved on. */
const nameIn = (value: object, name: string): string =>
  name === reasons && "Status" in value ? `${ofStatus}${value.Status}` : name;

/** What both have: the items of a list may have more or fewer optional members. */
function merge(one: Shape, other: Shape): Shape {
  if (typeof one === "string" || typeof other === "string") return other;
  return { ...one, ...other };
}

/**
 * Lists what a client of the first build would miss in the answers of the second: another status,
 * or a member that is gone or has another type. A member that is new is no finding.
 */
export function compareAnswers(...builds: [readonly Answered[], readonly Answered[]]): string[] {
  const [first = [], second = []] = builds.map(withoutRenewals);
  const findings: string[] = [];
  if (first.length !== second.length) {
    findings.push(`${first.length} calls became ${second.length}`);
  }
  for (const [index, { call, status, shape }] of first.entries()) {
    const other = second[index];
    if (other === undefined) continue;
    if (other.call !== call || other.status !== status) {
      findings.push(`${call}: ${status} became ${other.call}: ${other.status}`);
    } else findings.push(...lost(shape, other.shape, call));
  }
  return [...new Set(findings)];
}

const timed = "token by client_credentials";

/** Leaves out the tokens that a client asks for because its last one is too old. */
const withoutRenewals = (all: readonly Answered[]): Answered[] => {
  const begun = all.findIndex(({ call }) => call === timed);
  return all.filter(({ call }, index) => call !== timed || index === begun);
};

function lost(one: Shape, other: Shape | undefined, where: string): string[] {
  if (other === undefined) return [`${where} is gone`];
  if (typeof one === "string" || typeof other === "string") {
    return one === other ? [] : [`${where}: ${nameOf(one)} became ${nameOf(other)}`];
  }
  // a list may have become empty
  if ("[]" in other && nameOf(other["[]"] ?? "") === "nothing") return [];
  const hasReasons = Object.keys(other).some((name) => name.startsWith(ofStatus));
  return Object.entries(one)
    .filter(([name]) => name in other || !(name.startsWith(ofStatus) && hasReasons))
    .flatMap(([name, shape]) => lost(shape, other[name], `${where} ${name}`));
}

const nameOf = (shape: Shape): string =>
  typeof shape === "string" ? shape : Object.keys(shape).length === 0 ? "nothing" : "an object";

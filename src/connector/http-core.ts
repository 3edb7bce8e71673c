import { randomBytes } from "node:crypto";
import { context, propagation } from "@opentelemetry/api";
import { type AnswerReader, whyInvalid } from "#src/bank/checked-answer.ts";
import type { BankAbout } from "#src/bank/parts.ts";
import { BankError, type OwnCore } from "#src/bank/port.ts";
import type { CallName } from "#src/bank/port-answers.ts";
import { type CallGroup, callGroups, isNeeded, portCalls } from "#src/bank/port-calls.ts";
import { chargesBy, type TariffRow } from "#src/bank/tariff.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import type { WholeBody } from "#src/http/outgoing/guarded-request.ts";
import {
  deadlineHeader,
  NotSent,
  openConnections,
  type RemoteAddress,
} from "#src/signing/remote-connection.ts";
import { toJson } from "./json-values.ts";
import { callRows, contractVersion, otherRows } from "./operations.ts";
import { compileBody, createBodyReader } from "./read-body.ts";
import type { RequestSigner } from "./sign-request.ts";

// A bank's core as a service. Its calls return the bodies of responses, which `createBodyReader`
// checks.

/** Where a core is, and how long Aldgate waits for it. */
type HttpCoreOptions = Omit<RemoteAddress, "connections"> & {
  deadlinesMs: Readonly<Record<CallGroup, number>>;
  callsAtOnce: number;
  /** Signs each request; null if the connection alone proves who calls. */
  sign: RequestSigner | null;
};

/** A core over HTTP. */
export type HttpCore = {
  core: OwnCore;
  reader: AnswerReader;
  /** What the core calls itself. */
  name: string;
  /** Returns the next changes after a cursor; null if the core sends none in this way. */
  readChanges: ((after: string | null) => Promise<object>) | null;
  /** The customers as whom a sandbox may act, as the core lists them. */
  listTestCustomers(): Promise<unknown>;
  readTestCode(challengeId: string): Promise<string | null>;
};

type About = {
  contract: number;
  name: string;
  parts: BankAbout["parts"];
  operations?: string[];
  exchangeCurrencies?: string[];
  readsContext?: boolean;
  attachesData?: boolean;
  tariff?: TariffRow[];
};

const aboutMs = 5_000;
const changesMs = 20_000;
const factsPerPage = 500;
const mostBytes = 16 * 1024 * 1024;

/** Asks a core what it has, and makes the calls of the port to it. Throws BankError. */
export async function connectCore(options: HttpCoreOptions): Promise<HttpCore> {
  const { deadlinesMs } = options;
  const { call, close } = createCaller(options);
  const about = await readAbout(() => call(otherRows.readAbout, null, aboutMs)).catch((error) => {
    close();
    throw error;
  });
  const { parts, operations = [], tariff = [], exchangeCurrencies = [] } = about;
  const { readsContext, attachesData } = about;
  const has = (name: string): boolean => operations.includes(name);
  const names = Object.keys(callRows) as CallName[]; // the table has no other keys
  const calls = names
    .filter((name) => (portCalls[name].isOptional ? has(name) : isNeeded(name, parts)))
    .map((name) => {
      const { path, arguments: schemas } = callRows[name];
      const members = Object.keys(schemas);
      const made = (...given: unknown[]): Promise<unknown> => {
        const body = toJson(Object.fromEntries(members.map((one, index) => [one, given[index]])));
        return call({ method: "POST", path }, body, deadlinesMs[portCalls[name].group]);
      };
      return [name, made] as const;
    });
  return {
    core: {
      // what the calls return is checked before anybody uses it
      ...(Object.fromEntries(calls) as unknown as OwnCore),
      about: { parts },
      chargesOf: chargesBy(tariff),
      exchangeCurrencies,
      ...(readsContext === undefined ? {} : { readsContext }),
      ...(attachesData === undefined ? {} : { attachesData }),
      close: async () => close(),
    },
    reader: createBodyReader(),
    name: about.name,
    readChanges: has("readChanges")
      ? async (after) => {
          const query = new URLSearchParams({ limit: String(factsPerPage) });
          if (after !== null) query.set("after", after);
          const path = `${otherRows.readChanges.path}?${query}`;
          return (await call({ method: "GET", path }, null, changesMs)) as object;
        }
      : null,
    async listTestCustomers() {
      if (!has("listTestCustomers")) return [];
      const body = await call(otherRows.listTestCustomers, {}, aboutMs);
      return (body as { customers?: unknown } | null)?.customers;
    },
    async readTestCode(challengeId) {
      if (!has("readTestCode")) return null;
      const body = await call(otherRows.readTestCode, { challengeId }, aboutMs);
      const { code } = (body ?? {}) as { code?: unknown };
      return typeof code === "string" ? code : null;
    },
  };
}

async function readAbout(ask: () => Promise<unknown>): Promise<About> {
  const { validator, decode } = compileBody(otherRows.readAbout.answer);
  const body = await ask();
  if (!validator.Check(body)) {
    const reason = whyInvalid(validator, body);
    throw new BankError("refused", `its answer to GET /about does not fit the contract: ${reason}`);
  }
  return decode(body) as About; // it has just been checked
}

/** Sends a request and returns the parsed body of its answer. */
type Call = (
  to: { method: "GET" | "POST"; path: string },
  body: unknown,
  withinMs: number,
) => Promise<unknown>;

function createCaller(options: HttpCoreOptions): { call: Call; close(): void } {
  const { sign, callsAtOnce, ...address } = options;
  // each group has its own limit, and the feed asks for one page at a time
  const connections = openConnections({
    ...address,
    connections: callsAtOnce * callGroups.length + 1,
  });
  const call: Call = async ({ method, path }, body, withinMs) => {
    const sent = body === null ? null : Buffer.from(JSON.stringify(body));
    const trace = traceparent();
    const what = `${method} ${path.split("?", 1)[0]} (traceparent ${trace})`;
    const signature = sign === null ? null : await sign({ method, path, body: sent });
    const request = connections.exchange({
      method,
      path: path.slice(1),
      headers: {
        "aldgate-contract": String(contractVersion),
        [deadlineHeader]: String(withinMs),
        traceparent: trace,
        ...(signature === null ? {} : { "aldgate-signature": signature }),
      },
      body: sent,
      limits: {
        connectMs: withinMs,
        totalMs: withinMs,
        mostBytes,
        tooLarge: `the answer is larger than ${mostBytes} bytes`,
        anyStatus: true,
      },
    });
    const answer = await request.catch((error: Error) => {
      const outcome = error instanceof NotSent ? "retry" : "unknown";
      throw new BankError(outcome, `${what}: ${error.message}`, { cause: error });
    });
    if (answer.status !== 200) throw failureOf(answer, what);
    // as strict as with what a core sends by itself: nothing is guessed
    return parseJsonObject(
      answer.body,
      (why) => new BankError("unknown", `${what}: the answer ${why}`),
    );
  };
  return { call, close: connections.close };
}

/** Names the call's span in W3C Trace Context; without an SDK that has one, a new trace. */
function traceparent(): string {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  const [trace, span] = [randomBytes(16), randomBytes(8)].map((bytes) => bytes.toString("hex"));
  return carrier.traceparent ?? `00-${trace}-${span}-01`;
}

// Statuses that mean that nothing was done. Only a problem document can say that a call is refused,
// because gateways answer 400 and 404 too.
const nothingDone: readonly number[] = [401, 403, 429, 503];
const outcomes = ["refused", "retry", "unknown"] as const;
const longestTitle = 200;

/** The members of a problem document; none if it is something else, such as a gateway's page. */
function problemIn(body: Buffer): { outcome?: unknown; title?: unknown } {
  try {
    return (JSON.parse(body.toString()) as object | null) ?? {};
  } catch {
    return {};
  }
}

function failureOf({ status, body }: WholeBody, what: string): BankError {
  const problem = problemIn(body);
  const said = outcomes.find((one) => one === problem.outcome);
  const outcome = said ?? (nothingDone.includes(status) ? "retry" : "unknown");
  const title =
    typeof problem.title === "string" ? `: ${problem.title.slice(0, longestTitle)}` : "";
  return new BankError(outcome, `${what}: the core answered ${status}${title}`);
}

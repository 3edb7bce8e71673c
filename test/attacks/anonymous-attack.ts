import * as http from "node:http";
import * as https from "node:https";
import { loadConfig } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { Visitor } from "#test/auth/visitor.ts";
import type { TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";
import { anonymousWrites, type Sent } from "./anonymous-writes.ts";
import type { Route } from "./collect-routes.ts";

type Given = { headers?: Record<string, string>; body?: string };
type Got = { status: number; text: string; headers: http.IncomingHttpHeaders };

/** A caller without credentials. Close it when done. */
export class Stranger {
  readonly #bank: TestBank;
  readonly #agents = [
    new http.Agent({ keepAlive: true }),
    new https.Agent({ keepAlive: true }),
  ] as const;

  constructor(bank: TestBank) {
    this.#bank = bank;
  }

  /** Sends a request without a certificate, like one that a proxy forwards. */
  send(url: string, method: string, given: Given = {}): Promise<Got> {
    const isTls = url.startsWith("https:");
    const options = {
      method,
      headers: { "x-forwarded-for": "203.0.113.7", ...given.headers },
      ca: this.#bank.sandbox?.directory.caPem,
      agent: this.#agents[isTls ? 1 : 0],
      timeout: 20_000,
    };
    return new Promise((resolve, reject) => {
      const request = (isTls ? https : http).request(url, options, (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      });
      request.on("timeout", () => request.destroy(new Error(`${method} ${url} has no answer`)));
      request.on("error", reject);
      request.end(given.body);
    });
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }
}

/** Counts the rows of every table. */
export async function countRows({ database }: TestBank): Promise<Map<string, number>> {
  const tables = await database.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition
      and relnamespace = current_schema()::regnamespace`);
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const statement = { text: `select count(*)::integer as count from "${name}"`, values: [] };
    const [row] = await database.query<{ count: number }>(statement);
    counts.set(name, row?.count ?? 0);
  }
  return counts;
}

/** The tables that have more rows than before. */
export async function grownSince(
  bank: TestBank,
  before: Map<string, number>,
): Promise<Map<string, number>> {
  const grown = new Map<string, number>();
  for (const [table, count] of await countRows(bank)) {
    const more = count - (before.get(table) ?? 0);
    if (more > 0) grown.set(table, more);
  }
  return grown;
}

const form = "application/x-www-form-urlencoded";
const garbage: Given[] = [
  {},
  { headers: { authorization: "Bearer stolen", "content-type": "application/json" }, body: "{}" },
  { headers: { authorization: "Basic YTpi", "content-type": form }, body: "decision=cancel&a=b" },
];

/** Sends requests to every route; returns their number, and those that were answered with 5xx. */
export async function callEveryRoute(
  bank: TestBank,
  routes: readonly Route[],
  clientId: string,
): Promise<{ sent: number; findings: string[] }> {
  const isBodyless = (method: string) => method === "GET" || method === "HEAD";
  const stranger = new Stranger(bank);
  const findings: string[] = [];
  let sent = 0;
  for (const { method, url } of routes) {
    // a real client, so that what looks for it finds it
    const path = url.replace(/:\w+|\*/g, clientId);
    for (const base of [bank.publicUrl, bank.mtlsUrl]) {
      for (const { headers = {}, body } of garbage) {
        if (isBodyless(method) && body !== undefined && headers["content-type"] === form) continue;
        const given = body === undefined || isBodyless(method) ? { headers } : { headers, body };
        const { status } = await stranger.send(base + path, method, given);
        if (status >= 500) findings.push(`${method} ${path} is answered with ${status}`);
        sent += 1;
      }
    }
  }
  stranger.close();
  return { sent, findings };
}

/**
 * Sends, again and again, what is known to write rows. Returns the tables that have grown, and
 * those that have grown beyond their bound.
 */
export async function fillTables(
  bank: TestBank,
  tpp: TppClient,
  turns: number,
): Promise<{ grown: Map<string, number>; findings: string[] }> {
  const { LOGIN_FAILURES_PER_MINUTE: failuresPerMinute } = loadConfig({});
  const stranger = new Stranger(bank);
  const startedAt = performance.now();
  const urls: string[] = [];
  for (const _ of [1, 2]) {
    const { consentId } = await lodge(tpp);
    urls.push(await tpp.authorizationUrl({ scope: "payments", consentId }));
  }
  const [opened = "", cancelled = ""] = urls;
  const signed = new URL(opened);
  const assertion = present(signed.searchParams.get("request"), "the signed request");
  const before = await countRows(bank);
  for (let turn = 0; turn < turns; turn += 1) {
    await stranger.send(opened, "GET");
    await tryLogin(bank, stranger, `nobody ${turn}`);
    await cancel(bank, cancelled);
    await stranger.send(`${bank.mtlsUrl}/register/${tpp.tpp.clientId}`, "DELETE");
    await stranger.send(`${bank.mtlsUrl}/register`, "POST", { body: "x" });
    const named = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: tpp.tpp.clientId,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: turn % 2 === 0 ? unknownKey(assertion) : assertion,
    });
    for (const path of ["/token", "/request", "/token/revocation", "/token/introspection"]) {
      const headers = { "content-type": form };
      await stranger.send(bank.mtlsUrl + path, "POST", { headers, body: named.toString() });
    }
  }
  stranger.close();
  const minutes = (performance.now() - startedAt) / 60_000;
  const grown = await grownSince(bank, before);
  return {
    grown,
    findings: beyond(grown, { consents: 2, addresses: 1, failuresPerMinute, minutes }),
  };
}

/** The tables that have grown beyond their bound, or that have none. */
function beyond(grown: Map<string, number>, sent: Sent): string[] {
  return [...grown].flatMap(([table, more]) => {
    const write = anonymousWrites.find((one) => one.table === table);
    if (write && more <= write.most(sent)) return [];
    return [`${table} has ${more} new rows; ${write?.bound ?? "it has no bound"}`];
  });
}

async function tryLogin(bank: TestBank, stranger: Stranger, login: string): Promise<void> {
  const page = await stranger.send(`${bank.publicUrl}/bank/login`, "GET");
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
  const cookie = (page.headers["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ");
  const body = new URLSearchParams({ csrf, login, password: "wrong", decision: "continue" });
  const headers = { cookie, origin: bank.publicUrl, "content-type": form };
  await stranger.send(`${bank.publicUrl}/bank/login`, "POST", { headers, body: body.toString() });
}

/** Opens a TPP's URL and cancels before the login. */
async function cancel(bank: TestBank, url: string): Promise<void> {
  const visitor = new Visitor(bank);
  await visitor.open(url);
  if (visitor.step === "login") await visitor.submit({ decision: "cancel" });
}

/** The same JWT, whose header names a key that its client does not have. */
function unknownKey(jwt: string): string {
  const [, claims, signature] = jwt.split(".");
  const header = JSON.stringify({ alg: "PS256", kid: `unknown-${Math.random()}` });
  return [Buffer.from(header).toString("base64url"), claims, signature].join(".");
}

import "reflect-metadata";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { nameBytesOf } from "#src/certificates/tpp-certificate.ts";
import { type Entity, issue } from "#test/certificates/authorities.ts";
import { der, responseOf, sequence, signedBy } from "#test/certificates/responses.ts";
import { freePort } from "#test/free-port.ts";
import { patienceMs, until } from "#test/until.ts";
import { type BankProcess, startBank } from "./bank-process.ts";
import type { Watched } from "./long-strings/watch.ts";

/** The result of the attack. */
export type RespondersReport = {
  /** The number of hostile answers, and of calls of a bystander meanwhile. */
  answers: number;
  calls: number;
  slowestMs: number;
  /** For each long list: the calls of a bystander meanwhile, and the most work in one turn. */
  longLists: { calls: number; busiestMs: number }[];
  megabytes: { before: number; after: number } | null;
  findings: string[];
};

const nulls = (megabytes: number): Buffer => Buffer.alloc(megabytes * 1_000_000, "0500", "hex");
const bits = der(0x03, Buffer.alloc(65));
const algorithm = Buffer.from("300a06082a8648ce3d040302", "hex");
const nested = Buffer.concat([Buffer.alloc(60_000, "3080", "hex"), Buffer.alloc(100)]);

type Send = (response: http.ServerResponse) => void;

/** A hostile answer. The authority of the sandbox signs what `make` passes to it. */
type Kind = {
  name: string;
  source: "list" | "responder";
  /** Whether the bank waits until its time is up. */
  isSlow: boolean;
  make(authority: Entity): Buffer | Send;
};

const endless: Send = (response) => {
  const chunk = Buffer.alloc(65_536, "0500", "hex");
  response.write(Buffer.from("3084ffffffff", "hex"));
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
};

const dripping: Send = (response) => {
  response.write(Buffer.from("30840000ffff", "hex"));
  const timer = setInterval(() => response.write(Buffer.of(5)), 50);
  response.on("close", () => clearInterval(timer));
};

const both = (name: string, make: Kind["make"], isSlow = false): [Kind, Kind] => [
  { name: `${name} from a responder`, source: "responder", isSlow, make },
  { name: `${name} as a list`, source: "list", isSlow, make },
];

const kinds: readonly Kind[] = [
  ...both("30 MB of members", () => sequence(nulls(30))),
  ...both("60,000 bytes of nesting", () => nested),
  ...both("an answer without an end", () => endless),
  ...both("an answer a byte at a time", () => dripping, true),
  ...both("silence", () => () => undefined, true),
  ...both("a page of HTML", () => Buffer.from("<html>".repeat(1_000))),
  ...both("a redirect to itself", () => (response) => {
    response.writeHead(302, { location: response.req.url ?? "/" }).end();
  }),
  ...both("8,000 headers", () => (response) => {
    for (let at = 0; at < 8_000; at += 1) response.setHeader(`x-${at}`, "x".repeat(20));
    response.end();
  }),
  {
    name: "an unsigned response of 60 kB",
    source: "responder",
    isSlow: false,
    make: () => responseOf(sequence(sequence(nulls(0.03)), algorithm, bits)),
  },
  {
    name: "a signed response of 60 kB",
    source: "responder",
    isSlow: false,
    make: (authority) => responseOf(signedBy(authority, sequence(nulls(0.03)))),
  },
  {
    name: "an unsigned list of 30 MB",
    source: "list",
    isSlow: false,
    make: () => sequence(sequence(nulls(30)), algorithm, bits),
  },
  {
    name: "a list with an algorithm of 30 MB",
    source: "list",
    isSlow: false,
    make: () => sequence(sequence(), sequence(nulls(30)), bits),
  },
  {
    name: "a signed list with 30 MB of members",
    source: "list",
    isSlow: false,
    make: (authority) => signedBy(authority, sequence(nulls(30))),
  },
];

const listBytes = 32_000_000;
// the bank keeps each for a day
const mostLongLists = 5;
const longListPath = "/long-list";

/**
 * Lets clients with trusted certificates connect to a bank. Their certificates name lists and
 * responders that send huge, nested, unsigned, endless or slow answers. The bank must stay alive,
 * use none of the answers, and serve a bystander meanwhile. After each of the first rounds, a list
 * of 32 MB that is in order must be used, and a bystander served while it is read. By default, the
 * bank's folder is new. The folder is removed.
 */
export async function attackWithResponders({
  rounds,
  folder = mkdtempSync(join(tmpdir(), "aldgate-responders-")),
  say = () => undefined,
}: {
  rounds: number;
  folder?: string;
  say?(text: string): void;
}): Promise<RespondersReport> {
  const sent = new Map<string, Buffer | Send>();
  const server = http.createServer((request, response) => {
    const answer = sent.get(new URL(request.url ?? "/", "http://localhost").pathname);
    if (typeof answer === "function") answer(response);
    else response.end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const watchPort = await freePort();
  const bank = await startBank(
    folder,
    {
      LOG_LEVEL: "warn",
      NODE_OPTIONS: "--max-old-space-size=700",
      WATCH_PORT: String(watchPort),
    },
    { preload: fileURLToPath(new URL("./long-strings/watch.ts", import.meta.url)) },
  );
  try {
    const { port } = server.address() as AddressInfo;
    const authority = authorityIn(folder);
    const attacked = { bank, authority, sent, port, watchPort, rounds, say };
    return await attack(attacked);
  } finally {
    await bank.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Attacked = {
  bank: BankProcess;
  authority: Entity;
  /** What is sent for each path. */
  sent: Map<string, Buffer | Send>;
  port: number;
  watchPort: number;
  rounds: number;
  say(text: string): void;
};

async function attack(attacked: Attacked): Promise<RespondersReport> {
  const { bank, authority, sent, rounds, say } = attacked;
  const findings = new Set<string>();
  for (const [at, { make }] of kinds.entries()) sent.set(`/${at}`, make(authority));
  const before = bank.holdings();
  const bystander = watch(bank, 20);
  const longLists: RespondersReport["longLists"] = [];
  let answers = 0;
  const all = kinds.length * rounds;
  const run = async (kind: Kind, round: number): Promise<void> => {
    const fault = await answerWith(attacked, kind, round).catch((error: Error) => error.message);
    if (fault !== null) findings.add(`${kind.name}: ${fault}`);
    answers += 1;
    if (answers % kinds.length === 0) say(`${answers} of ${all} answers`);
  };
  const numbers = Array.from({ length: rounds }, (_, round) => round);
  // each takes as long as the bank waits, so those of all rounds run at the same time
  const slow = kinds.filter(({ isSlow }) => isSlow);
  const waiting = Promise.all(numbers.flatMap((round) => slow.map((kind) => run(kind, round))));
  for (const round of numbers) {
    if (!bank.isAlive()) break;
    await Promise.all(kinds.filter(({ isSlow }) => !isSlow).map((kind) => run(kind, round)));
    if (round >= mostLongLists) continue;
    const long = await readLongList(attacked, round).catch((error: Error) => error.message);
    if (typeof long === "string") findings.add(`a list of 32 MB: ${long}`);
    else longLists.push(long);
  }
  await waiting;
  const calls = await bystander.stop();
  for (const failure of calls.failures) findings.add(`a call of a bystander: ${failure}`);
  if (!bank.isAlive()) findings.add(`the bank ended: ${bank.ending()}`);
  const after = bank.holdings();
  return {
    answers,
    calls: calls.count,
    slowestMs: Math.round(calls.slowestMs),
    longLists,
    megabytes: before && after && { before: before.megabytes, after: after.megabytes },
    findings: [...findings],
  };
}

/** Lets a client connect whose status is a hostile answer. Returns what is wrong, or null. */
async function answerWith(
  { bank, authority, port }: Attacked,
  kind: Kind,
  round: number,
): Promise<string | null> {
  const url = `http://127.0.0.1:${port}/${kinds.indexOf(kind)}?round=${round}`;
  const client = await issue(`Client ${round}`, authority, {
    key: authority.key,
    ...(kind.source === "list" ? { listUrl: url } : { responderUrl: url }),
  });
  const { status, reason } = await connect(bank, authority, client);
  if (status !== 401) return `the call was answered ${status} ${reason}`;
  const isRefused = await until(
    () => bank.log.some((line) => line.includes(`"${url}"`)),
    (isLogged) => isLogged || !bank.isAlive(),
  ).catch(() => false);
  return isRefused ? null : "the log does not name the source";
}

/** Lets a client connect that is the last in a list of 32 MB. Throws unless it is refused. */
async function readLongList(
  { bank, authority, sent, port, watchPort }: Attacked,
  round: number,
): Promise<RespondersReport["longLists"][number]> {
  const url = `http://127.0.0.1:${port}${longListPath}?round=${round}`;
  const client = await issue("Last", authority, { key: authority.key, listUrl: url });
  const list = longList(authority, client.certificate.serialNumber);
  const watched = async (path: string): Promise<Watched> =>
    (await fetch(`http://127.0.0.1:${watchPort}${path}`)).json() as Promise<Watched>;
  await watched("/begin");
  let callsBefore = 0;
  const bystander = watch(bank, 0);
  sent.set(longListPath, (response) => {
    response.end(list, () => {
      callsBefore = bystander.seen.count;
    });
  });
  const { status, reason } = await connect(bank, authority, client);
  // the call in progress at the end of the list began before it
  const calls = bystander.seen.count - callsBefore - 1;
  await bystander.stop();
  const { busiestMs } = await watched("/end");
  if (status !== 401 || !reason.includes("revoked"))
    throw new Error(`answered ${status} ${reason}`);
  if (calls < 5) throw new Error(`a bystander made ${calls} calls while it was read`);
  return { calls, busiestMs };
}

/** A list of 32 MB, of which the last entry is a certificate. */
function longList(authority: Entity, serialNumber: string): Buffer {
  const entry = (serial: Buffer): Buffer =>
    sequence(der(0x02, serial), der(0x17, Buffer.from("260101000000Z")));
  const other = Buffer.alloc(16, 1);
  const one = entry(other);
  const entries = Buffer.alloc(Math.floor(listBytes / one.length) * one.length, one);
  for (let at = 0; at < entries.length; at += one.length) entries.writeUInt32BE(at, at + 8);
  const { subject } = nameBytesOf(authority.certificate);
  const date = der(0x17, Buffer.from("260101000000Z"));
  const last = entry(Buffer.from(serialNumber, "hex"));
  return signedBy(authority, sequence(algorithm, subject, date, sequence(entries, last)));
}

function authorityIn(folder: string): Entity {
  const read = (name: string): string => readFileSync(join(folder, "keys", name), "utf8");
  const pem = read("ca.pem");
  const key = { privateKeyPem: read("ca.key.pem"), publicKeyPem: "" };
  return { key, pem, certificate: new X509Certificate(pem) };
}

/** Calls the bank with a client certificate. Without an answer, the status is 0. */
function connect({ mtlsUrl }: BankProcess, { pem }: Entity, client: Entity) {
  return new Promise<{ status: number; reason: string }>((resolve) => {
    const key = client.key.privateKeyPem;
    const tls = { ca: pem, key, cert: client.pem, agent: false as const, timeout: patienceMs };
    const headers = { authorization: "Bearer none" };
    const url = `${mtlsUrl}/api/open-banking/v4.0/aisp/accounts`;
    const request = https.get(url, { ...tls, headers }, (response) => {
      const { statusCode = 0, headers: answered } = response;
      const reason = answered["www-authenticate"] ?? "";
      response.resume().on("end", () => resolve({ status: statusCode, reason }));
    });
    request.on("timeout", () => request.destroy(new Error("no answer")));
    request.on("error", ({ message }) => resolve({ status: 0, reason: message }));
  });
}

/** Calls the bank again and again, as a bystander without a certificate. */
function watch({ publicUrl }: BankProcess, pauseMs: number) {
  const seen = { count: 0, slowestMs: 0, failures: new Set<string>() };
  let isOver = false;
  const repeat = async (): Promise<void> => {
    while (!isOver) {
      const startedAt = performance.now();
      const answer = await fetch(`${publicUrl}/.well-known/openid-configuration`).catch(
        (error: Error) => error,
      );
      if (answer instanceof Error) seen.failures.add(answer.message);
      else if (answer.status !== 200) seen.failures.add(String(answer.status));
      else await answer.text();
      seen.count += 1;
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt);
      await sleep(pauseMs);
    }
  };
  const done = repeat();
  return {
    seen,
    async stop() {
      isOver = true;
      await done;
      return seen;
    },
  };
}

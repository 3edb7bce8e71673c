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
import { type Entity, issue } from "#test/certificates/authorities.ts";
import { der, responseOf, sequence, signedBy } from "#test/certificates/responses.ts";
import { patienceMs, until } from "#test/until.ts";
import { type BankProcess, startBank } from "./bank-process.ts";

/** The result of the attack. */
export type RespondersReport = {
  /** The number of hostile answers, and of calls of a bystander meanwhile. */
  answers: number;
  calls: number;
  slowestMs: number;
  megabytes: { before: number; after: number } | null;
  findings: string[];
};

const nulls = (megabytes: number): Buffer => Buffer.alloc(megabytes * 1_000_000, "0500", "hex");
const bits = der(0x03, Buffer.alloc(65));
const algorithm = Buffer.from("300a06082a8648ce3d040302", "hex");
const nested = Buffer.concat([Buffer.alloc(60_000, "3080", "hex"), Buffer.alloc(100)]);

type Send = (response: http.ServerResponse) => void;

/** A hostile answer. The authority of the sandbox signs what `make` passes to it. */
type Kind = { name: string; source: "list" | "responder"; make(authority: Entity): Buffer | Send };

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

const both = (name: string, make: Kind["make"]): [Kind, Kind] => [
  { name: `${name} from a responder`, source: "responder", make },
  { name: `${name} as a list`, source: "list", make },
];

const kinds: readonly Kind[] = [
  ...both("30 MB of members", () => sequence(nulls(30))),
  ...both("60,000 bytes of nesting", () => nested),
  ...both("an answer without an end", () => endless),
  ...both("an answer a byte at a time", () => dripping),
  ...both("silence", () => () => undefined),
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
    make: () => responseOf(sequence(sequence(nulls(0.03)), algorithm, bits)),
  },
  {
    name: "a signed response of 60 kB",
    source: "responder",
    make: (authority) => responseOf(signedBy(authority, sequence(nulls(0.03)))),
  },
  {
    name: "an unsigned list of 30 MB",
    source: "list",
    make: () => sequence(sequence(nulls(30)), algorithm, bits),
  },
  {
    name: "a list with an algorithm of 30 MB",
    source: "list",
    make: () => sequence(sequence(), sequence(nulls(30)), bits),
  },
  {
    name: "a signed list with 30 MB of members",
    source: "list",
    make: (authority) => signedBy(authority, sequence(nulls(30))),
  },
];

/**
 * Lets clients with trusted certificates connect to a bank. Their certificates name lists and
 * responders that send huge, nested, unsigned, endless or slow answers. The bank must stay alive,
 * use none of the answers, and serve a bystander meanwhile.
 */
export async function attackWithResponders({
  rounds,
}: {
  rounds: number;
}): Promise<RespondersReport> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-responders-"));
  const sent = new Map<string, Buffer | Send>();
  const server = http.createServer((request, response) => {
    const answer = sent.get(request.url ?? "");
    if (typeof answer === "function") answer(response);
    else response.end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bank = await startBank(folder, {
    LOG_LEVEL: "warn",
    NODE_OPTIONS: "--max-old-space-size=700",
  });
  try {
    return await attack(bank, folder, rounds, sent, (server.address() as AddressInfo).port);
  } finally {
    await bank.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function attack(
  bank: BankProcess,
  folder: string,
  rounds: number,
  sent: Map<string, Buffer | Send>,
  port: number,
): Promise<RespondersReport> {
  const authority = authorityIn(folder);
  const findings = new Set<string>();
  const before = bank.holdings();
  const over = new AbortController();
  const watching = watch(bank, over.signal);
  const urls = new Map<string, string>();
  for (let round = 0; round < rounds && bank.isAlive(); round += 1) {
    const clients = kinds.map(async ({ name, source, make }, at) => {
      const path = `/${round}/${at}`;
      const url = `http://127.0.0.1:${port}${path}`;
      sent.set(path, make(authority));
      urls.set(url, name);
      const client = await issue(`Client ${at}`, authority, {
        key: authority.key,
        ...(source === "list" ? { listUrl: url } : { responderUrl: url }),
      });
      const status = await connect(bank, authority, client);
      if (status !== 401) findings.add(`${name}: the call was answered ${status}`);
    });
    await Promise.all(clients);
    await until(
      () => [...urls].filter(([url]) => !bank.log.some((line) => line.includes(`"${url}"`))),
      (unread) => unread.length === 0 || !bank.isAlive(),
    ).catch((error: Error) => findings.add(error.message));
    sent.clear();
  }
  over.abort();
  const calls = await watching;
  for (const failure of calls.failures) findings.add(`a call of a bystander: ${failure}`);
  if (!bank.isAlive()) findings.add(`the bank ended: ${bank.ending()}`);
  const after = bank.holdings();
  return {
    answers: urls.size,
    calls: calls.count,
    slowestMs: Math.round(calls.slowestMs),
    megabytes: before && after && { before: before.megabytes, after: after.megabytes },
    findings: [...findings],
  };
}

function authorityIn(folder: string): Entity {
  const read = (name: string): string => readFileSync(join(folder, "keys", name), "utf8");
  const pem = read("ca.pem");
  const key = { privateKeyPem: read("ca.key.pem"), publicKeyPem: "" };
  return { key, pem, certificate: new X509Certificate(pem) };
}

/** Calls the bank with a client certificate. Returns the status, or the reason for having none. */
function connect({ mtlsUrl }: BankProcess, { pem }: Entity, client: Entity) {
  return new Promise<number | string>((resolve) => {
    const key = client.key.privateKeyPem;
    const options = { ca: pem, key, cert: client.pem, agent: false as const, timeout: patienceMs };
    const request = https.get(
      `${mtlsUrl}/api/open-banking/v4.0/aisp/accounts`,
      options,
      (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    request.on("timeout", () => request.destroy(new Error("no answer")));
    request.on("error", ({ message }) => resolve(message));
  });
}

/** Calls the bank again and again, as a bystander without a certificate. */
async function watch({ publicUrl }: BankProcess, signal: AbortSignal) {
  const seen = { count: 0, slowestMs: 0, failures: new Set<string>() };
  while (!signal.aborted) {
    const startedAt = performance.now();
    const answer = await fetch(`${publicUrl}/.well-known/openid-configuration`).catch(
      (error: Error) => error,
    );
    if (answer instanceof Error) seen.failures.add(answer.message);
    else if (answer.status !== 200) seen.failures.add(String(answer.status));
    else await answer.text();
    seen.count += 1;
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt);
    await sleep(20);
  }
  return seen;
}

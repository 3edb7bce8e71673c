import { fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { domesticConsent } from "#test/payments/fixture.ts";
import { registerTpp } from "./fuzz/world.ts";
import type { Orders, Sent, Stream } from "./load-sender.ts";

/** The result of an attack on the time of a process. */
export type BudgetReport = {
  /** The median read of the honest TPPs in milliseconds: before, during and just after. */
  medians: { before: number; during: number; after: number };
  /**
   * The median read during the attack at another bank on the same machine and database server,
   * which is not attacked: what the machine alone does to a read. Null if there is none.
   */
  beside: number | null;
  /** The reads of the honest TPPs during the attack, by status. */
  reads: Record<string, number>;
  /** What the attack sent, by stream and status. */
  sent: Sent;
  findings: string[];
};

export type BudgetOptions = { seconds: number; say(text: string): void };

const consents = "/v4.0/pisp/domestic-payment-consents";
const apis = "/api/open-banking";
const pauseMs = 25;
/** The honest reads may take this many times as long as without the attack. */
const factor = 3;

/** One TPP sends as much as it can to every endpoint, while others read. */
export async function attackAsOneTpp(
  bank: BankAddress,
  { seconds }: BudgetOptions,
): Promise<BudgetReport> {
  const readers = await makeReaders(bank);
  const attack = await prepareHostileTpp(bank, seconds);
  const report = await measure(readers, seconds, attack);
  // a start of many connections at once may make the process late for a moment
  const { 200: served = 0, 503: shed = 0, ...others } = report.reads;
  if (Object.keys(others).length > 0 || shed > served / 10) {
    report.findings.push(`the honest TPPs got ${JSON.stringify(report.reads)} during the attack`);
  }
  return report;
}

/** Registers a TPP that sends as much as it can to every endpoint. The result starts it. */
export async function prepareHostileTpp(
  bank: BankAddress,
  seconds: number,
): Promise<() => Promise<Sent>> {
  const hostile = await register(bank, true);
  const streams = await hostileStreams(bank, hostile);
  const { caPem: ca = "", transport } = hostile.tpp;
  const tls = { ca, key: transport.privateKeyPem, cert: transport.certificatePem };
  hostile.close();
  return () => runSender({ streams, tls, seconds, lanes: 6, perSecond: null });
}

/**
 * Many TPPs together send twice what the process can do. They leave the bank `beside` alone.
 */
export async function overload(
  bank: BankAddress,
  beside: BankAddress,
  { seconds, say }: BudgetOptions,
): Promise<BudgetReport & { perSecond: number }> {
  const readers = await makeReaders(bank);
  const others = await makeReaders(beside);
  const crowd = await register(bank, false);
  const token = await crowd.clientToken("payments");
  const read: Stream = {
    name: "reads",
    url: `${bank.publicUrl}${apis}${consents}/${await lodge(crowd, token)}`,
    method: "GET",
    headers: { authorization: `Bearer ${token}`, accept: "application/json" },
  };
  const common = { streams: [read], tls: { ca: "" } };
  const tried = await runSender({ ...common, seconds: 3, lanes: 16, perSecond: null });
  const perSecond = Math.round(((tried.reads?.[200] ?? 0) / 3) * 2);
  say(`the process can serve ${perSecond / 2} reads per second; sending ${perSecond}`);
  await delay(1000);
  const attack = () => runSender({ ...common, seconds, lanes: 400, perSecond });
  const report = await measure(readers, seconds, attack, others);
  if (!report.sent.reads?.[503]) report.findings.push("no request was refused under overload");
  crowd.close();
  return { ...report, perSecond };
}

async function measure(
  readers: Reader[],
  seconds: number,
  attack: () => Promise<Sent>,
  others: Reader[] = [],
): Promise<BudgetReport> {
  const before = await readFor(readers, Math.max(2, Math.ceil(seconds / 3)));
  const stop = new AbortController();
  const during = readUntil(readers, stop.signal);
  const besides = readUntil(others, stop.signal);
  const sent = await attack();
  stop.abort();
  const seen = await during;
  const seenBeside = await besides;
  await delay(1000);
  const after = await readFor(readers, 2);
  for (const reader of [...readers, ...others]) reader.client.close();
  const medians = {
    before: medianOf(before),
    during: medianOf(seen.filter(({ status }) => status === 200)),
    after: medianOf(after),
  };
  const beside = others.length > 0 ? medianOf(seenBeside) : null;
  const findings: string[] = [];
  for (const phase of ["during", "after"] as const) {
    const ratio = medians[phase] / medians.before;
    if (ratio < factor) continue;
    findings.push(
      `${phase} the attack, the median read takes ${ratio.toFixed(1)} times as long: ` +
        `${medians[phase].toFixed(1)} ms, before ${medians.before.toFixed(1)} ms`,
    );
  }
  const late = after.filter(({ status }) => status !== 200);
  if (late.length > 0) {
    findings.push(`${late.length} reads failed more than a second after the attack`);
  }
  const reads: Record<string, number> = {};
  for (const { status } of seen) reads[status] = (reads[status] ?? 0) + 1;
  return { medians, beside, reads, sent, findings };
}

type Reader = { client: TppClient; token: string; path: string };
type Read = { status: number; ms: number };

async function makeReaders(bank: BankAddress): Promise<Reader[]> {
  return Promise.all(
    [1, 2, 3].map(async () => {
      const client = await register(bank, true);
      const token = await client.clientToken("payments");
      const reader = { client, token, path: `${consents}/${await lodge(client, token)}` };
      await readOnce(reader);
      return reader;
    }),
  );
}

const register = (bank: BankAddress, certificateBound: boolean): Promise<TppClient> =>
  registerTpp(bank, {
    profile: "fapi1",
    tokenEndpointAuthMethod: "private_key_jwt",
    certificateBound,
  });

async function lodge(client: TppClient, token: string): Promise<string> {
  const body = domesticConsent();
  const answer = await client.call<{ Data: { ConsentId: string } }>({
    path: consents,
    token,
    body,
  });
  return answer.body.Data.ConsentId;
}

async function readOnce({ client, token, path }: Reader): Promise<Read> {
  const startedAt = performance.now();
  const { status } = await client.call({ path, token });
  return { status, ms: performance.now() - startedAt };
}

async function readUntil(readers: Reader[], signal: AbortSignal): Promise<Read[]> {
  const lane = async (reader: Reader): Promise<Read[]> => {
    const reads: Read[] = [];
    while (!signal.aborted) {
      reads.push(await readOnce(reader));
      await delay(pauseMs);
    }
    return reads;
  };
  return (await Promise.all(readers.map(lane))).flat();
}

const readFor = (readers: Reader[], seconds: number): Promise<Read[]> =>
  readUntil(readers, AbortSignal.timeout(seconds * 1000));

function medianOf(reads: readonly Read[]): number {
  const sorted = reads.map(({ ms }) => ms).sort((a, b) => a - b);
  return present(sorted[Math.floor(sorted.length / 2)], "a read that succeeded");
}

/** Requests of one TPP to every endpoint: large, expensive, wrong and ordinary ones. */
async function hostileStreams(bank: BankAddress, client: TppClient): Promise<Stream[]> {
  const token = await client.clientToken("payments");
  const json = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const own = `${bank.mtlsUrl}${apis}${consents}`;
  const read = `${own}/${await lodge(client, token)}`;
  const post = async (name: string, body: object): Promise<Stream> => {
    const text = JSON.stringify(body);
    const signature = await client.signature(Buffer.from(text));
    const headers = { ...json, "x-jws-signature": signature, "x-idempotency-key": name };
    return { name, url: own, method: "POST", headers, body: text };
  };
  const members = Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`m${at}`, at]));
  const lines = Array(30_000).fill("x");
  const assertion = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.tpp.clientId,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await client.assertion(),
  }).toString();
  const oauth = ["/token", "/request", "/token/introspection", "/token/revocation"];
  return [
    await post("unknown members", { Data: members, Risk: {} }),
    await post("remittance lines", { Data: { Lines: lines }, Risk: {} }),
    await post("consents", domesticConsent()),
    { name: "reads", url: read, method: "GET", headers: json },
    { name: "wrong token", url: read, method: "GET", headers: { authorization: "Bearer stolen" } },
    { name: "registration", url: `${bank.mtlsUrl}/register/x`, method: "DELETE", headers: {} },
    { name: "login page", url: `${bank.publicUrl}/bank/login`, method: "GET", headers: {} },
    ...oauth.map((path) => {
      const url = bank.mtlsUrl + path;
      return { name: path, url, method: "POST", headers: form, body: assertion };
    }),
  ];
}

function runSender(orders: Orders): Promise<Sent> {
  const child = fork(new URL("./load-sender.ts", import.meta.url));
  child.send(orders);
  return new Promise((resolve, reject) => {
    child.once("message", (sent) => resolve(sent as Sent));
    child.once("exit", (code) => reject(new Error(`the sender ended with ${code}`)));
  });
}

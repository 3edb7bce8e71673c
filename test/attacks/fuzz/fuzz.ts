import { registrationForms } from "#src/events/registration-forms.ts";
import type { Operation } from "#src/http/operation.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { aimAtOAuth } from "./aim-at-oauth.ts";
import { aimAtOperation } from "./aim-at-operations.ts";
import { type Browsers, createBrowsers, type PageShot } from "./aim-at-pages.ts";
import { aimAtRegistration } from "./aim-at-registration.ts";
import { aimAtSandbox } from "./aim-at-sandbox.ts";
import { createDraw, type Draw } from "./draw.ts";
import { createOAuthOracle, receiverOf } from "./oauth-oracle.ts";
import { createOracle, type OpenApi, type Oracle } from "./oracle.ts";
import { createGun, type Gun, type Hit, type Shot } from "./shot.ts";
import {
  callControl,
  createSurroundings,
  type KnownConsent,
  keyOf,
  kinds,
  remember,
  type World,
} from "./world.ts";

/** How many requests are sent, and the seed. */
export type FuzzOptions = {
  requests: number;
  seed: number;
  /** How many requests are in flight at the same time. */
  concurrency?: number;
  /** Sends only this request, and shows it and its response. */
  only?: number;
  onProgress?(done: number): void;
};

/** A fault, the first request that showed it, and how many did. */
export type Finding = { fault: string; count: number; first: string };

/** The result of the attack. */
export type FuzzReport = {
  seed: number;
  sent: number;
  statuses: Map<number, number>;
  /** How many requests were made from each valid request. */
  origins: Map<string, number>;
  /** The valid requests that were made from, each with the security profile of its TPP. */
  senders: Set<string>;
  /** How many authorization responses TPPs of each security profile got. */
  responses: Map<string, number>;
  findings: Finding[];
};

/** Sends hostile requests to a sandbox on this machine, and checks every response. */
export async function fuzz(address: BankAddress, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, requests, concurrency = 12, only } = options;
  const world = await createSurroundings(address);
  const operations = listOperations(paymentKinds);
  const api = createOracle(operations, await loadDocuments(address, operations));
  const oauth = createOAuthOracle(address.publicUrl, tpps(world));
  const gun = createGun(tpps(world));
  const report: FuzzReport = {
    seed,
    sent: 0,
    statuses: new Map(),
    origins: new Map(),
    senders: new Set(),
    responses: new Map(),
    findings: [],
  };
  const browsers = createBrowsers(world);
  const oracle: Oracle = (shot, hit) => [...api(shot, hit), ...oauth(shot, hit)];
  const run: Run = { world, operations, browsers, oracle, gun, report };
  let next = only ?? 0;
  const end = only === undefined ? requests : only + 1;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < end; number = next++) {
      try {
        await attack(run, number, createDraw(seed, number), only !== undefined);
      } catch (error) {
        noteFinding(report, `a request could not be made: ${(error as Error).stack}`, `#${number}`);
      }
      if (number % 500 === 499) options.onProgress?.(report.sent);
    }
  };
  try {
    await Promise.all(Array.from({ length: only === undefined ? concurrency : 1 }, lane));
    await checkLedger(address, report);
  } finally {
    gun.close();
    world.close();
  }
  return report;
}

const tpps = ({ actors }: World) => actors.map(({ client }) => client.tpp);

type Run = {
  world: World;
  operations: readonly Operation[];
  browsers: Browsers;
  oracle: Oracle;
  gun: Gun;
  report: FuzzReport;
};

async function loadDocuments(
  { publicUrl }: BankAddress,
  operations: readonly Operation[],
): Promise<Map<string, OpenApi>> {
  const ids = [...new Set(operations.map(({ api }) => api.id))];
  const documents = ids.map(async (id): Promise<[string, OpenApi]> => {
    const answer = await fetch(`${publicUrl}/openapi/${id}.json`);
    return [id, (await answer.json()) as OpenApi]; // the bank's own document
  });
  return new Map(await Promise.all(documents));
}

async function attack(run: Run, number: number, draw: Draw, show: boolean): Promise<void> {
  const { shot, done } = await aim(run, number, draw);
  if (show) console.log(describeShot(shot));
  // some requests are sent again, and some of those at the same time
  const times = draw.chance(0.05) ? 1 + draw.below(3) : 1;
  const together = draw.chance(0.5);
  let last: Hit | null = null;
  for (let left = times; left > 0; left -= together ? times : 1) {
    const volley = Array.from({ length: together ? times : 1 }, () => fire(run, shot, show));
    last = (await Promise.all(volley)).at(-1) ?? null;
  }
  done(last);
}

/** The targets of a hundred requests; the rest goes to the sandbox's interface. */
const shares = { operations: 66, oauth: 12, registration: 4, pages: 12 };

async function aim(run: Run, number: number, draw: Draw): Promise<PageShot> {
  const { world, operations, browsers } = run;
  const done = (): void => undefined;
  let at = draw.below(100) - shares.operations;
  if (at < 0) {
    return { shot: await aimAtOperation(world, draw.pick(operations), number, draw), done };
  }
  at -= shares.oauth;
  if (at < 0) return { shot: await aimAtOAuth(world, number, draw), done };
  at -= shares.registration;
  if (at < 0) return { shot: await aimAtRegistration(world, number, draw), done };
  at -= shares.pages;
  if (at < 0) return browsers.aim(number, draw);
  return { shot: await aimAtSandbox(world, number, draw), done };
}

async function fire(run: Run, shot: Shot, show: boolean): Promise<Hit | null> {
  const { gun, oracle, report, world } = run;
  report.sent += 1;
  count(report.origins, shot.from);
  const sender = world.actors.find(({ client }) => client.tpp.clientId === shot.sender);
  if (sender) report.senders.add(`${shot.from} of ${sender.client.tpp.profile}`);
  let hit: Hit;
  try {
    hit = await gun.fire(shot);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // the bank may close a connection that is not HTTP, and Node refuses to send some requests
    if (code === "ECONNRESET" || code?.startsWith("HPE_")) count(report.statuses, 0);
    else addFinding(report, shot, `no answer: ${code ?? ""} ${message}`, null);
    return null;
  }
  count(report.statuses, hit.status);
  if (show) console.log(hit.status, hit.headers, hit.raw.toString());
  const receiver = receiverOf(tpps(world), hit);
  if (receiver) count(report.responses, receiver.profile ?? "fapi1");
  for (const fault of oracle(shot, hit)) addFinding(report, shot, fault, hit);
  if (hit.status === 201) await learn(world, shot, hit);
  return hit;
}

/** Adds created resources to the targets, and replaces authorised consents that were used. */
async function learn(world: World, shot: Shot, hit: Hit): Promise<void> {
  const actor = world.actors.find(({ client }) => client.tpp.clientId === shot.sender);
  const { pathname } = new URL(shot.url);
  const kind = kinds.find(
    ({ id, format }) => pathname.startsWith(format.version.basePath) && isOf(pathname, id),
  );
  const { Data } = JSON.parse(hit.raw.toString()) as { Data?: Record<string, string> };
  if (!actor || !Data) return;
  for (const [path, scope] of accessPaths) {
    if (pathname.includes(path) && Data.ConsentId) actor.accesses[scope].spare.push(Data.ConsentId);
  }
  for (const { idField } of registrationForms) {
    const id = Data[idField];
    if (typeof id === "string") remember(actor.registrations, idField, id);
  }
  if (!kind) return;
  const orderId = Data[kind.orderIdField];
  if (orderId !== undefined) {
    remember(actor.orders, keyOf(kind), orderId);
    const { ConsentId } = Data;
    const used = actor.consents.get(keyOf(kind))?.find(({ consentId }) => consentId === ConsentId);
    if (used) used.used = true;
    await world.refill(actor, kind);
  } else if (Data.ConsentId && shot.body) {
    const body = JSON.parse(new TextDecoder().decode(shot.body)) as KnownConsent["body"];
    remember(actor.consents, keyOf(kind), { consentId: Data.ConsentId, token: null, body });
  }
}

const accessPaths = [
  ["/account-access-consents", "accounts"],
  ["/funds-confirmation-consents", "fundsconfirmations"],
] as const;

const isOf = (pathname: string, kind: string): boolean =>
  new RegExp(`/(${kind}s|${kind}-consents)(/|$)`).test(pathname);

const count = <K>(counts: Map<K, number>, key: K): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

function addFinding(report: FuzzReport, shot: Shot, fault: string, hit: Hit | null): void {
  const answer = hit ? `\n    ${hit.status} ${hit.raw.toString().slice(0, 300)}` : "";
  noteFinding(report, `${shot.from}: ${fault}`, describeShot(shot) + answer);
}

function noteFinding({ findings }: FuzzReport, fault: string, first: string): void {
  // the same fault with another id is the same fault
  const name = fault.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[a-z]+-[\w-]{16,}/g, "…").slice(0, 400);
  const known = findings.find((finding) => finding.fault === name);
  if (known) known.count += 1;
  else findings.push({ fault: name, count: 1, first });
}

function describeShot({ number, changes, method, url, headers, body }: Shot): string {
  const text = body?.toString().slice(0, 700) ?? "";
  const shown = Object.entries(headers)
    .filter(([name]) => name !== "authorization")
    .map(([name, value]) => `${name}: ${String(value).slice(0, 120)}`);
  return `#${number} (${changes.join("; ")}) ${method} ${url.slice(0, 300)}\n    ${shown.join("\n    ")}\n    ${text}`;
}

async function checkLedger(address: BankAddress, report: FuzzReport): Promise<void> {
  type Verified = { holds: boolean; breaches: string[] };
  const { breaches } = await callControl<Verified>(address, "GET", "/verify");
  for (const breach of breaches) report.findings.push({ fault: breach, count: 1, first: "verify" });
}

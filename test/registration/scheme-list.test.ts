import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { listChanges } from "#src/history/change.ts";
import { createMetrics } from "#src/http/connection/observe.ts";
import { systemClock } from "#src/lib/clock.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { OpenRegistration } from "#src/server/opening/registration.ts";
import { clearContracts } from "#test/clients/stored-settings.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { commercial, scheme } from "#test/payments/limits/contract-bed.ts";
import { limitsOnAnyDay, vrpConsent } from "#test/payments/limits/vrp-bed.ts";
import { type Bed, openRegistrationBed, organisationId, type Served } from "./bed.ts";
import { openOtherProcess } from "./other-process.ts";

// The reading of the commercial scheme's list of participants, which a test directory serves.

const path = "/v2.1/organisation/mlastatus";

let bed: Bed;
let now = systemClock.now().round("second");
let process: OpenRegistration;
const warnings: object[] = [];
before(async () => {
  bed = await openRegistrationBed();
  process = openProcess();
});
after(() => bed?.close());
beforeEach(async () => {
  warnings.length = 0;
  await clearContracts(bed.bank.database);
});

const openProcess = (): OpenRegistration =>
  openOtherProcess(bed.bank, {
    config: { VRP_SCHEME_LIST_URL: `https://${bed.host}${path}` },
    machineClock: { now: () => now },
    onWarning: (details) => warnings.push(details),
  });

const publish = (document: Served): void => void bed.served.set(path, document);

const entry = (MLAStatus: string, OBOrganisationId = organisationId) => ({
  OBOrganisationId,
  OrganisationCommonName: "Savvy Ltd",
  NCAId: "GB-FCA-123456",
  MLAStatus,
  MLAStatusUpdated: "2025-12-21T09:30:00+0000",
});

/** Publishes a document, and has the process read it when it is due. */
async function readLater(document: Served): Promise<void> {
  publish(document);
  now = now.add({ minutes: 6 });
  await process.sweep();
}

async function register(): Promise<TppClient> {
  const answer = await bed.send({ body: await bed.request({ scope: "openid payments" }) });
  assert.equal(answer.status, 201, answer.text);
  return bed.client(answer.body, bed);
}

const body = vrpConsent(
  commercial([scheme(1)], ({ Data }) => {
    Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
  }),
);

async function lodge(client: TppClient): Promise<[number, string?]> {
  const token = await client.clientToken("payments");
  const given = { path: "/v4.0/pisp/domestic-vrp-consents", token, body };
  const answer = await client.call<Json>(given);
  return answer.status === 201 ? [201] : [answer.status, answer.body.Errors[0].Message];
}

test("CV-11, CV-15: the bank reads the scheme's list every 5 minutes, and changes of it take effect", async () => {
  const client = await register();
  assert.equal((await lodge(client))[0], 400);
  await readLater({ body: { Data: [entry("Suspended", "other"), entry("Active")] } });
  assert.deepEqual(await lodge(client), [201]);
  publish({ body: { Data: [entry("Suspended")] } });
  await process.sweep();
  assert.deepEqual(await lodge(client), [201], "the list is not due yet");
  await readLater({ body: { Data: [entry("Suspended")] } });
  const [status, message = ""] = await lodge(client);
  assert.equal(status, 400);
  assert.match(message, /in the scheme is Suspended/);
  const changes = await listChanges(bed.bank.database, client.tpp.clientId);
  assert.deepEqual(
    changes.slice(-2).map(({ cause, after: facts }) => [cause, facts.schemeStatus]),
    [
      ["bank", "Active"],
      ["bank", "Suspended"],
    ],
  );
  const revision = changes.length;
  await readLater({ body: { Data: [entry("Suspended")] } });
  const later = await listChanges(bed.bank.database, client.tpp.clientId);
  assert.equal(later.length, revision, "a reading without a change writes no history");
  assert.deepEqual(warnings, []);
});

test("CV-12: a TPP that registers later gets its status at the next reading", async () => {
  await readLater({ body: { Data: [entry("Active")] } });
  const client = await register();
  assert.equal((await lodge(client))[0], 400);
  await readLater({ body: { Data: [entry("Active")] } });
  assert.deepEqual(await lodge(client), [201]);
});

const unusable: [string, Served][] = [
  ["is missing", { status: 404, body: "" }],
  ["is an error", { status: 500, body: { Data: [entry("Revoked")] } }],
  ["is not JSON", { body: "Revoked" }],
  ["has no list", { body: { data: [entry("Revoked")] } }],
  ["is empty", { body: { Data: [] } }],
  ["has an unknown status", { body: { Data: [entry("Gone"), null] } }],
];

for (const [name, document] of unusable) {
  test(`CV-16: every TPP keeps its status if the list ${name}`, async () => {
    const client = await register();
    await readLater({ body: { Data: [entry("Active")] } });
    await readLater(document);
    assert.equal(warnings.length, 1);
    assert.deepEqual(await lodge(client), [201]);
  });
}

test("CV-16: an organisation that is no longer in the list keeps its status", async () => {
  const client = await register();
  await readLater({ body: { Data: [entry("Active")] } });
  await readLater({ body: { Data: [entry("Active", "other")] } });
  assert.deepEqual(await lodge(client), [201]);
});

test("CV-15: when the list is due, only one of several processes reads it", async () => {
  publish({ body: { Data: [entry("Active")] } });
  now = now.add({ minutes: 6 });
  const count = (): number => bed.asked.filter((url) => url === path).length;
  const earlier = count();
  await Promise.all([process.sweep(), openProcess().sweep()]);
  assert.equal(count(), earlier + 1);
});

const asks = (): number => bed.asked.filter((url) => url === path).length;

/** The minutes until the process asks for the list again, up to `most`. */
async function minutesToNextReading(most: number): Promise<number> {
  const earlier = asks();
  for (let minutes = 1; minutes <= most; minutes++) {
    now = now.add({ minutes: 1 });
    await process.sweep();
    if (asks() > earlier) return minutes;
  }
  return Number.POSITIVE_INFINITY;
}

test("CV-15: after each further failure the bank waits twice as long, up to an hour, and then as usual again", async () => {
  await readLater({ body: { Data: [entry("Active")] } });
  publish({ status: 500, body: "" });
  const waits: number[] = [];
  for (let failure = 0; failure < 7; failure++) waits.push(await minutesToNextReading(100));
  assert.deepEqual(waits, [5, 5, 10, 20, 40, 60, 60]);
  publish({ body: { Data: [entry("Active")] } });
  assert.equal(await minutesToNextReading(100), 60);
  assert.equal(await minutesToNextReading(100), 5);
});

for (const [name, retryAfter] of [
  ["a number of seconds", () => "1500"],
  ["a date", () => new Date(now.add({ minutes: 25 }).epochMilliseconds).toUTCString()],
] as const) {
  test(`CV-15: the bank waits as long as the directory's Retry-After says (${name})`, async () => {
    await readLater({ body: { Data: [entry("Active")] } });
    now = now.add({ minutes: 6 });
    publish({ status: 429, headers: { "retry-after": retryAfter() }, body: "" });
    await process.sweep();
    assert.equal(await minutesToNextReading(100), 25);
    await readLater({ body: { Data: [entry("Active")] } });
    now = now.add({ hours: 2 });
    await process.sweep();
  });
}

test("CV-16, CV-25: a metric has the age of the list, which grows while the list cannot be read", async () => {
  const metrics = createMetrics();
  const config = { VRP_SCHEME_LIST_URL: `https://${bed.host}${path}?metric` };
  const observed = openOtherProcess(bed.bank, {
    config,
    metrics,
    machineClock: { now: () => now },
    onWarning: () => undefined,
  });
  const age = async (): Promise<string | undefined> =>
    /^aldgate_scheme_list_age_seconds (\S+)$/m.exec(await metrics.registry.metrics())?.[1];
  assert.equal(await age(), "+Inf");
  bed.served.set(`${path}?metric`, { body: { Data: [entry("Active")] } });
  await observed.sweep();
  assert.equal(await age(), "0");
  bed.served.set(`${path}?metric`, { status: 500, body: "" });
  now = now.add({ minutes: 70 });
  await observed.sweep();
  assert.equal(await age(), "4200");
  bed.served.set(`${path}?metric`, { body: { Data: [entry("Active")] } });
  now = now.add({ minutes: 10 });
  await observed.sweep();
  assert.equal(await age(), "0");
});

test("CV-26: the sandbox's directory serves the list, and the control that sets a status changes it", async () => {
  const client = await bed.bank.createTpp();
  const { clientId, organisationId: id } = client.tpp;
  const set = (status: string | null) =>
    bed.bank.control("PUT", `/tpps/${clientId}/scheme-status`, { status });
  const read = async () => {
    const answer = await fetch(`${bed.bank.publicUrl}/directory${path}`);
    const { Data } = (await answer.json()) as { Data: Json[] };
    return Data.filter(({ OBOrganisationId }) => OBOrganisationId === id);
  };
  assert.deepEqual(await read(), []);
  await set("Active");
  await set("Suspended");
  const [listed] = await read();
  const { MLAStatusUpdated, OrganisationCommonName, ...facts } = listed ?? {};
  assert.deepEqual(facts, {
    OBOrganisationId: id,
    NCAId: `GB-FCA-${id}`,
    MLAStatus: "Suspended",
  });
  assert.ok(OrganisationCommonName.length > 0);
  assert.match(MLAStatusUpdated, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
  await set(null);
  assert.deepEqual(await read(), []);
});

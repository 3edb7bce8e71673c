import assert from "node:assert/strict";
import { constants, generateKeyPairSync, sign } from "node:crypto";
import { BlockList } from "node:net";
import { after, before, test } from "node:test";
import { listChanges } from "#src/history/change.ts";
import { createAddressGuard } from "#src/http/outgoing/address-guard.ts";
import { createFetcher } from "#src/http/outgoing/guarded-request.ts";
import { systemClock } from "#src/lib/clock.ts";
import { createKeyRefresh } from "#src/registration/refresh-keys.ts";
import { createDirectoryKeys } from "#src/registration/statement-issuer.ts";
import { signingJwk } from "#src/sandbox/directory/keys.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus } from "#test/harness.ts";
import { type Bed, issuerName, openRegistrationBed } from "./bed.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed();
});
after(() => bed?.close());

/** Publishes keys at separate addresses, so that no test uses the cached keys of another. */
async function publish(name: string, ...keys: { publicKeyPem: string }[]) {
  const jwks = await Promise.all(keys.map((key) => signingJwk(key.publicKeyPem)));
  bed.served.set(`/${name}.jwks`, { body: { keys: jwks } });
  bed.served.set(`/${name}-revoked.jwks`, { body: { keys: [] } });
  const statement = await bed.statement({
    software_id: name,
    software_jwks_endpoint: `https://${bed.host}/${name}.jwks`,
    software_jwks_revoked_endpoint: `https://${bed.host}/${name}-revoked.jwks`,
  });
  const transport = await bed.certificate([
    { attribute: "OU", value: "0015800001TEST0001" },
    { attribute: "CN", value: name },
  ]);
  const request = (key = bed.keys.signing, kid = jwks[0]?.kid) =>
    bed.request(
      { iss: name, software_statement: statement, software_id: name },
      { key, header: { kid } },
    );
  return { jwks, transport, request };
}

async function registered(name: string) {
  const published = await publish(name, bed.keys.signing);
  const answer = await bed.send({
    body: await published.request(),
    transport: published.transport,
  });
  assert.equal(answer.status, 201, answer.text);
  const { transport } = published;
  const of = (given: Partial<Parameters<Bed["client"]>[1]> = {}): TppClient => {
    const client = bed.client(answer.body, { transport, caPem: bed.caPem, ...given });
    return client;
  };
  return { ...published, body: answer.body, of };
}

const credentials = { grant_type: "client_credentials", scope: "accounts" };

test("R-121: a rotated key is fetched at the first request that names it, at most once a minute", async () => {
  const name = "rotated";
  const { of, jwks } = await registered(name);
  const other = await signingJwk(bed.keys.other.publicKeyPem);
  bed.served.set(`/${name}.jwks`, { body: { keys: [other, ...jwks] } });
  const rotated = of({ signing: bed.keys.other, kid: other.kid });
  expectStatus(await rotated.tokenAnswer(credentials), 200);
  const last = (await listChanges(bed.bank.database, rotated.tpp.clientId)).at(-1);
  assert.equal(last?.cause, "bank");
  assert.partialDeepStrictEqual(last?.after.keys, [{ kid: other.kid, state: "active" }]);
  const count = (): number => bed.asked.filter((url) => url === `/${name}.jwks`).length;
  const before = count();
  for (const kid of ["unknown1", "unknown2", "unknown3"]) {
    expectStatus(await of({ kid }).tokenAnswer(credentials), 401);
  }
  assert.equal(count(), before);
});

test("R-121: a message signed with a rotated key is accepted", async () => {
  const name = "rotated2";
  const { of, jwks } = await registered(name);
  const token = await of().clientToken("accounts");
  const other = await signingJwk(bed.keys.other.publicKeyPem);
  bed.served.set(`/${name}.jwks`, { body: { keys: [other, ...jwks] } });
  const rotated = of({ signing: bed.keys.other, kid: other.kid });
  rotated.tpp.softwareId = name;
  const answer = await rotated.call({
    path: "/v4.0/event-subscriptions",
    token,
    body: { Data: { Version: "4.0" } },
  });
  expectStatus(answer, 201);
});

test("R-122, R-152: a revoked key is refused at the next request after the list of revoked keys was read, and never accepted again", async () => {
  const name = "revoked";
  const { of, jwks } = await registered(name);
  const client = of();
  expectStatus(await client.tokenAnswer(credentials), 200);
  // a second reader of the list, as in another process of the bank
  bed.served.set(`/${name}-revoked.jwks`, { body: { keys: jwks } });
  let now = systemClock.now();
  const refresh = createKeyRefresh({
    database: bed.bank.database,
    issuers: [
      {
        iss: issuerName,
        jwks: { file: "" },
        environment: null,
        statusUrl: null,
        hosts: [bed.host],
      },
    ],
    directoryKeys: createDirectoryKeys({
      fetcher: createFetcher(createAddressGuard(true, new BlockList()), bed.caPem),
      clock: { now: () => now },
      onStale: assert.fail,
    }),
    clock: systemClock,
    machineClock: { now: () => now },
    onFailure: (_softwareId, error) => assert.fail(error as Error),
  });
  now = now.add({ hours: 2 });
  await refresh.sweep();
  expectStatus(await client.tokenAnswer(credentials), 401);
  const changes = await listChanges(bed.bank.database, client.tpp.clientId);
  assert.deepEqual(
    changes.map(({ cause }) => cause),
    ["tpp", "bank"],
  );
  assert.partialDeepStrictEqual(changes.at(-1)?.after.keys, [
    { kid: jwks[0]?.kid, state: "withdrawn" },
  ]);
  bed.served.set(`/${name}-revoked.jwks`, { body: { keys: [] } });
  now = now.add({ hours: 2 });
  await refresh.sweep();
  expectStatus(await client.tokenAnswer(credentials), 401);
});

test("R-120, R-141: without a copy of the keys, a silent or broken directory is 503 with Retry-After", async () => {
  const broken: [string, Parameters<Bed["served"]["set"]>[1]][] = [
    ["status", { status: 500, body: "" }],
    ["redirect", { status: 302, headers: { location: "/moved.jwks" }, body: "" }],
    ["words", { body: "no keys" }],
    ["large", { body: `{"keys":[],"x":"${"x".repeat(600_000)}"}` }],
    ["silent", null],
  ];
  for (const [name, document] of broken) {
    const { request, transport } = await publish(name, bed.keys.signing);
    bed.served.set(`/${name}.jwks`, document);
    const answer = await bed.send({ body: await request(), transport });
    assert.equal(answer.status, 503, `${name}: ${answer.text}`);
    assert.match(String(answer.headers["retry-after"]), /^\d+$/);
    assert.equal(answer.body.error, "temporarily_unavailable");
  }
  assert.ok(!bed.asked.includes("/moved.jwks"));
});

test("R-109: a statement may contain the keys, which only PUT with a new statement changes", async () => {
  const name = "stated";
  const { transport, jwks } = await publish(name, bed.keys.signing);
  const other = await signingJwk(bed.keys.other.publicKeyPem);
  const asked = bed.asked.length;
  const contain = (keys: object[]): Promise<string> =>
    bed.statement({
      software_id: name,
      jwks: { keys },
      software_jwks_endpoint: undefined,
      software_jwks_revoked_endpoint: undefined,
    });
  const claims = async (keys: object[]) => ({
    iss: name,
    software_id: name,
    software_statement: await contain(keys),
  });
  const [kid, ofOther] = [{ kid: String(jwks[0]?.kid) }, { kid: other.kid }];
  const foreign = await bed.request(await claims(jwks), { key: bed.keys.other, header: ofOther });
  const refused = await bed.send({ body: foreign, transport });
  assert.equal(refused.status, 400);
  assert.match(String(refused.body.error_description), /in jwks of the software statement/);
  const body = await bed.request(await claims(jwks), { header: kid });
  const registered = await bed.send({ body, transport });
  assert.equal(registered.status, 201, registered.text);
  const client = bed.client(registered.body, { transport, caPem: bed.caPem, ...kid });
  expectStatus(await client.tokenAnswer(credentials), 200);

  const headers = { authorization: `Bearer ${await client.clientToken("accounts")}` };
  const request = await bed.request(await claims([other]), {
    key: bed.keys.other,
    header: ofOther,
  });
  const url = `${bed.url}/${registered.body.client_id}`;
  const put = await bed.send({ method: "PUT", url, headers, body: request, transport });
  assert.equal(put.status, 200, put.text);
  expectStatus(await client.tokenAnswer(credentials), 401);
  const next = { transport, caPem: bed.caPem, signing: bed.keys.other, ...ofOther };
  expectStatus(await bed.client(registered.body, next).tokenAnswer(credentials), 200);
  assert.deepEqual(bed.asked.slice(asked), []);
});

test("R-120: a registration waits for a directory that answers slowly, and other registrations do not", async () => {
  const name = "slow";
  const { request, transport } = await publish(name, bed.keys.signing);
  const fast = await publish("fast", bed.keys.signing);
  const document = bed.served.get(`/${name}.jwks`);
  assert.ok(document);
  const { promise: after, resolve: answer } = Promise.withResolvers<void>();
  bed.served.set(`/${name}.jwks`, { ...document, after });
  const finished: string[] = [];
  const sent = [
    bed.send({ body: await request(), transport }).finally(() => finished.push(name)),
    bed.send({ body: await fast.request(), transport: fast.transport }).finally(() => {
      finished.push("fast");
      answer();
    }),
  ];
  for (const answer of await Promise.all(sent)) assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(finished, ["fast", name]);
});

test("R-120: a copy of the keys is used while the directory does not answer", async () => {
  const name = "warm";
  const { request, transport } = await registered(name);
  bed.served.set(`/${name}.jwks`, null);
  const answer = await bed.send({ body: await request(), transport });
  assert.equal(answer.status, 201, answer.text);
});

test("R-120: concurrent registrations share one fetch", async () => {
  const name = "shared";
  const { request, transport } = await publish(name, bed.keys.signing);
  const bodies = await Promise.all(Array.from({ length: 8 }, () => request()));
  const answers = await Promise.all(bodies.map((body) => bed.send({ body, transport })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(bed.asked.filter((url) => url === `/${name}.jwks`).length, 1);
});

test("R-094: a request signed with a key of 1024 bits is refused", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 1024,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const { request, transport } = await publish("weak", { publicKeyPem: publicKey });
  const jws = await request();
  const input = jws.slice(0, jws.lastIndexOf("."));
  const key = { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const signature = sign("sha256", Buffer.from(input), key).toString("base64url");
  const answer = await bed.send({ body: `${input}.${signature}`, transport });
  assert.equal(answer.status, 400);
  assert.match(String(answer.body.error_description), /of at least 2048 bits/);
});

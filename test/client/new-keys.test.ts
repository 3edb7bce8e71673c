// A bank may sign with a key that it published a moment ago. The library reads the keys again at
// once, whatever the key has signed, and no forger can make it read them all the time.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeProtectedHeader } from "jose";
import {
  type Bank,
  connect,
  type Profile,
  type ProfileName,
  profiles,
} from "#packages/client/src/index.ts";
import type { RobustReport } from "#src/sandbox/robust/report.ts";
import { until } from "#test/until.ts";
import { type ClientBed, openClientBed, playing, tenPounds } from "./client-bed.ts";

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed.close());

const create = (client: Bank) => client.payments("domestic-payment").createConsent(tenPounds);

/** Has a payment approved. Returns what `finish` needs, and the answer if it is signed. */
async function approved(client: Bank) {
  const login = await client.authorise(await create(client));
  const { redirectUrl } = await bed.sandbox.approve(login, { customer: "amara" });
  const returned = new URL(redirectUrl);
  const answer = new URLSearchParams((returned.hash || returned.search).slice(1));
  const jwt = answer.get("response") ?? answer.get("id_token");
  return { login, returned, jwt };
}

const kidOf = (jwt: string | null): string => {
  const { kid } = decodeProtectedHeader(String(jwt));
  assert.ok(kid);
  return kid;
};

/** Lets a client read the bank's keys, and keeps what it has read. */
function keyReader() {
  const sets: string[] = [];
  const { fetch } = playing("GET", /\/jwks$/, async ({ url, options, send }) => {
    const answer = await send(url, options);
    const text = await answer.text();
    sets.push(text);
    return new Response(text, answer);
  });
  return { sets, fetch };
}

const profilesBy = (is: (one: Profile) => boolean): ProfileName[] =>
  (Object.keys(profiles) as ProfileName[]).filter((name) => is(profiles[name]));

for (const profile of profilesBy(() => true)) {
  test(`${profile}: an id_token with a new key is verified at once`, async () => {
    const software = await bed.sandbox.createTpp({ profile });
    const client = await connect(software);
    const path = `/tpps/${software.client.id}/misbehaviours`;
    const { login, returned } = await approved(client);
    await bed.bank.control("POST", path, { names: ["rotated-keys"], patience: 1, lasts: 240 });
    const { consentId } = await client.finish(login, returned);
    assert.equal(consentId, login.consentId);
    const { rows } = await bed.bank.control<RobustReport>("GET", path);
    assert.equal(rows[0]?.played[0]?.path, "/token");
    client.close();
  });
}

test("an answer by the browser with a new key is verified at once in every profile", async () => {
  const opened = profilesBy(({ answer }) => answer !== "code").map(async (profile) => {
    const keys = keyReader();
    const client = await bed.connect({ fetch: keys.fetch }, { profile });
    const first = await approved(client);
    await client.finish(first.login, first.returned);
    return { keys, client, former: kidOf(first.jwt) };
  });
  const clients = await Promise.all(opened);
  await bed.bank.control("POST", "/signing-keys/rotation", { now: true });
  for (const { keys, client, former } of clients) {
    const { login, returned, jwt } = await until(
      () => approved(client),
      (one) => kidOf(one.jwt) !== former,
    );
    assert.equal((await client.finish(login, returned)).consentId, login.consentId);
    assert.ok(keys.sets.at(-1)?.includes(kidOf(jwt)));
  }
});

test("a hundred forged answers make the client read the keys at most once a second", async () => {
  const keys = keyReader();
  const client = await bed.connect({ fetch: keys.fetch }, { profile: "fapi1-jarm" });
  const { login, returned, jwt } = await approved(client);
  const before = keys.sets.length;
  const begun = Date.now();
  const finish = (index: number) => {
    const header = Buffer.from(JSON.stringify({ alg: "PS256", kid: `forged-${index}` }));
    const forged = new URL(returned);
    const response = [header.toString("base64url"), ...String(jwt).split(".").slice(1)].join(".");
    forged.searchParams.set("response", response);
    return assert.rejects(client.finish(login, forged), { name: "VerificationError" });
  };
  await Promise.all(Array.from({ length: 100 }, (_, index) => finish(index)));
  const seconds = Math.ceil((Date.now() - begun) / 1000);
  const read = keys.sets.length - before;
  assert.ok(read >= 1 && read <= seconds + 1, `${read} in ${seconds} s`);
  assert.equal((await client.finish(login, returned)).consentId, login.consentId);
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { ShownKey } from "#src/signing/key-store.ts";
import { type BankProcess, startBank } from "#test/attacks/bank-process.ts";
import { fillDatabase } from "#test/attacks/kills.ts";
import { expectStatus } from "#test/harness.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";
import { fetchJwks, kidsOf, verifyAnswer, verifyJwt } from "./verify.ts";

// Two processes of one bank on PostgreSQL. The test starts its own server in both lanes.

let server: TestPostgres;
let one: BankProcess;
let other: BankProcess;
const clients: TppClient[] = [];
const folder = mkdtempSync(join(tmpdir(), "aldgate-two-signers-"));
before(async () => {
  server = await startPostgres();
  const url = await server.createDatabase("two_signers");
  await fillDatabase(url);
  // one after the other, because the first makes the keys
  one = await startBank(folder, { DATABASE_URL: url });
  other = await startBank(folder, { DATABASE_URL: url });
});
after(async () => {
  for (const client of clients) client.close();
  await other?.close();
  await one?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function control<T>(bank: BankProcess, method: string, path: string, body?: object) {
  const response = await fetch(`${bank.publicUrl}/sandbox/v1${path}`, {
    method,
    ...(body ? { headers: { "content-type": "application/json" } } : {}),
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  assert.ok(response.ok, await response.clone().text());
  return (await response.json()) as T;
}

const keysAt = async (bank: BankProcess): Promise<ShownKey[]> =>
  (await control<{ keys: ShownKey[] }>(bank, "GET", "/signing-keys")).keys;

/** Waits until a process publishes the key, which the page of the keys promises within seconds. */
async function untilPublished(client: TppClient, kid: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (kidsOf(await fetchJwks(client)).includes(kid)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`${client.bank.publicUrl} does not publish ${kid}`);
}

test("K-003: during a rotation, messages and id_tokens of two processes verify with the JWKS fetched before", async () => {
  const request = { redirectUris: ["https://tpp.example/callback"] };
  const issued = await control<TppCredentials>(one, "POST", "/tpps", {
    name: "Steady TPP",
    roles: ["AISP", "PISP"],
    ...request,
  });
  const tpp: TppCredentials = {
    ...issued,
    ...request,
    tokenEndpointAuthMethod: "private_key_jwt",
    certificateBound: true,
  };
  const [first, second] = [new TppClient(one, tpp), new TppClient(other, tpp)];
  clients.push(first, second);
  const { consentId } = await lodge(first);
  const token = await first.clientToken("payments");
  const path = `/v4.0/pisp/domestic-payment-consents/${consentId}`;

  const added = await control<ShownKey>(one, "POST", "/signing-keys", {});
  const old = (await keysAt(one)).find(({ state }) => state === "current");
  await untilPublished(second, added.kid);
  const cached = await fetchJwks(first);
  const rotation = { kid: added.kid, now: true };
  const planned = await control<ShownKey>(one, "POST", "/signing-keys/rotation", rotation);
  const changesAt = Date.parse(planned.activeFrom ?? "");

  const signers = new Map<TppClient, string[]>();
  const note = (client: TppClient, kid: string) =>
    signers.set(client, [...(signers.get(client) ?? []), kid]);
  const readOn = async (client: TppClient): Promise<void> => {
    while (Date.now() < changesAt + 2000) {
      const answer = await client.call({ path, token });
      expectStatus(answer, 200);
      note(client, await verifyAnswer(cached, answer));
    }
  };
  const authoriseOn = async (client: TppClient, bank: BankProcess): Promise<void> => {
    while (Date.now() < changesAt + 2000) {
      const access = await lodgeAccess(client);
      const url = await client.authorizationUrl({ scope: "accounts", consentId: access });
      const { redirectUrl } = await control<{ redirectUrl: string }>(
        bank,
        "POST",
        "/authorisations",
        { authorizationUrl: url, customer: "amara", decision: "approve" },
      );
      const fragment = new URLSearchParams(new URL(redirectUrl).hash.slice(1));
      note(client, await verifyJwt(cached, fragment.get("id_token")));
      note(client, await verifyJwt(cached, (await client.exchangeCode(redirectUrl)).id_token));
    }
  };
  await Promise.all([
    readOn(first),
    readOn(second),
    authoriseOn(first, one),
    authoriseOn(second, other),
  ]);
  for (const client of [first, second]) {
    assert.deepEqual([...new Set(signers.get(client))], [old?.kid, added.kid]);
    assert.equal(signers.get(client)?.at(-1), added.kid);
  }
});

test("the keys and their dates outlive a restart", async () => {
  const before = await keysAt(one);
  await other.kill();
  await other.reopen();
  assert.deepEqual(await keysAt(other), before);
});

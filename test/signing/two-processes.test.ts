import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ShownKey } from "#src/signing/key-store.ts";
import type { BankProcess } from "#test/attacks/bank-process.ts";
import { openTwoProcesses, type TwoProcesses } from "#test/attacks/two-processes.ts";
import { expectStatus } from "#test/harness.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";
import { fetchJwks, kidsOf, verifyAnswer, verifyJwt } from "./verify.ts";

let banks: TwoProcesses;
before(async () => {
  banks = await openTwoProcesses();
});
after(() => banks?.close());

const keysAt = async (bank: BankProcess): Promise<ShownKey[]> =>
  (await banks.control<{ keys: ShownKey[] }>("GET", "/signing-keys", undefined, bank)).keys;

/** Waits until a process publishes the key, which the page of the keys promises within seconds. */
async function untilPublished(client: TppClient, kid: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (kidsOf(await fetchJwks(client)).includes(kid)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`${client.bank.publicUrl} does not publish ${kid}`);
}

test("K-003: during a rotation, messages and id_tokens of two processes verify with the JWKS fetched before", async () => {
  const { control, one, other } = banks;
  const { atOne: first, atOther: second } = await banks.createTpp();
  const { consentId } = await lodge(first);
  const token = await first.clientToken("payments");
  const path = `/v4.0/pisp/domestic-payment-consents/${consentId}`;

  const added = await control<ShownKey>("POST", "/signing-keys", {});
  const old = (await keysAt(one)).find(({ state }) => state === "current");
  await untilPublished(second, added.kid);
  const cached = await fetchJwks(first);
  const rotation = { kid: added.kid, now: true };
  const planned = await control<ShownKey>("POST", "/signing-keys/rotation", rotation);
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
        "POST",
        "/authorisations",
        { authorizationUrl: url, customer: "amara", decision: "approve" },
        bank,
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
  const { one, other } = banks;
  const before = await keysAt(one);
  await other.kill();
  await other.reopen();
  assert.deepEqual(await keysAt(other), before);
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ShownKey } from "#src/signing/key-store.ts";
import type { BankProcess } from "#test/attacks/bank-process.ts";
import { openTwoProcesses, type TwoProcesses } from "#test/attacks/two-processes.ts";
import { expectStatus } from "#test/harness.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";
import { patienceMs, until } from "#test/until.ts";
import { fetchJwks, kidsOf, verifyAnswer, verifyJwt } from "./verify.ts";

let banks: TwoProcesses;
before(async () => {
  banks = await openTwoProcesses();
});
after(() => banks?.close());

const keysAt = async (bank: BankProcess): Promise<ShownKey[]> =>
  (await banks.control<{ keys: ShownKey[] }>("GET", "/signing-keys", undefined, bank)).keys;

/** Waits until a process publishes the key, which the page of the keys promises within seconds. */
const untilPublished = (client: TppClient, kid: string): Promise<unknown> =>
  until(
    async () => kidsOf(await fetchJwks(client)),
    (kids) => kids.includes(kid),
  );

test("K-003: during a rotation, messages and id_tokens of two processes verify with the JWKS fetched before", {
  timeout: patienceMs,
}, async () => {
  const { control, one, other } = banks;
  const { atOne: first, atOther: second } = await banks.createTpp();
  const { consentId } = await lodge(first);
  const token = await first.clientToken("payments");
  const path = `/v4.0/pisp/domestic-payment-consents/${consentId}`;

  const added = await control<ShownKey>("POST", "/signing-keys", {});
  const old = (await keysAt(one)).find(({ state }) => state === "current");
  await untilPublished(second, added.kid);
  const cached = await fetchJwks(first);

  /** Returns the key that signed a response. */
  const read = async (client: TppClient): Promise<string[]> => {
    const answer = await client.call({ path, token });
    expectStatus(answer, 200);
    return [await verifyAnswer(cached, answer)];
  };
  /** Returns the keys that signed the id_tokens of a journey. */
  const authorise = async (client: TppClient, bank: BankProcess): Promise<string[]> => {
    const access = await lodgeAccess(client);
    const url = await client.authorizationUrl({ scope: "accounts", consentId: access });
    const { redirectUrl } = await control<{ redirectUrl: string }>(
      "POST",
      "/authorisations",
      { authorizationUrl: url, customer: "amara", decision: "approve" },
      bank,
    );
    const fragment = new URLSearchParams(new URL(redirectUrl).hash.slice(1));
    const kid = await verifyJwt(cached, fragment.get("id_token"));
    return [kid, await verifyJwt(cached, (await client.exchangeCode(redirectUrl)).id_token)];
  };
  const ways = [
    () => read(first),
    () => read(second),
    () => authorise(first, one),
    () => authorise(second, other),
  ];
  const before = await Promise.all(ways.map((sign) => sign()));
  assert.deepEqual(new Set(before.flat()), new Set([old?.kid]));
  const rotation = { kid: added.kid, now: true };
  await control<ShownKey>("POST", "/signing-keys/rotation", rotation);
  const signUntilChanged = async (sign: () => Promise<string[]>): Promise<void> => {
    let last = old?.kid;
    // the key changes once: after the new key, the old one is never used
    for (let changed = 0; changed < 5; ) {
      for (const kid of await sign()) {
        assert.ok(kid === last || kid === added.kid, `${last}, then ${kid}`);
        last = kid;
      }
      if (last === added.kid) changed += 1;
    }
  };
  await Promise.all(ways.map(signUntilChanged));
});

test("the keys and their dates outlive a restart", async () => {
  const { one, other } = banks;
  const before = await keysAt(one);
  await other.kill();
  await other.reopen();
  assert.deepEqual(await keysAt(other), before);
});

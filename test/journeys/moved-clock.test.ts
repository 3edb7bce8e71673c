import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { authoriseHeadless, HeadlessRefused } from "#src/sandbox/test-tpp/headless-customer.ts";
import type { ClockMove } from "#src/sandbox/time/clock.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "./payments.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

const time = async (): Promise<Temporal.Instant> =>
  Temporal.Instant.from((await bank.control<{ now: string }>("GET", "/clock")).now);

test("a journey during which the clock was set forward is refused with the page's words and both times", async () => {
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
  const amara = (await bank.customers()).find(({ login }) => login === "amara");
  let move: ClockMove | null = null;
  const begun = await time();
  const refused = authoriseHeadless(
    { authorizationUrl, customer: "amara", decision: "abandon" },
    {
      publicUrl: bank.publicUrl,
      passwordOf: () => amara?.password ?? null,
      clock: { now: () => begun, lastMove: () => move },
      async expireJourney() {
        await bank.advance("P2D");
        move = { from: begun, to: await time() };
      },
    },
  );
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof HeadlessRefused);
    assert.match(error.message, /the bank's page answered 400 and says: \w.*\. \w/);
    assert.match(error.message, /The sandbox's clock was set forward from 20\d\d-.* to 20\d\d-/);
    return true;
  });
});

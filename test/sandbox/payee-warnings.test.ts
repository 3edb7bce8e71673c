import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Decided, openSandbox, type Sandbox } from "#packages/client/src/sandbox.ts";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";

// Without a browser, nobody reads the bank's pages: the answer repeats what they say of the payee.

let bank: TestBank;
let sandbox: Sandbox;
let client: TppClient;
before(async () => {
  bank = await openBank();
  sandbox = openSandbox(bank.publicUrl);
  client = await bank.createTpp();
});
after(async () => {
  sandbox?.close();
  await bank?.close();
});

type Answer = Pick<Decided, "warning">;

/** The account of Amelia Jane Hartley, under the name that a TPP gives. */
const payee = (Name: string) => ({
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "00990000000041",
  Name,
});

/** The warning of the only request that waits in the app. */
async function waitingWarning(): Promise<Answer["warning"]> {
  type Waiting = { approvals: Pick<Decided, "warning">[] };
  const { approvals } = await bank.control<Waiting>("GET", "/approvals");
  assert.equal(approvals.length, 1);
  return approvals[0]?.warning ?? null;
}

const ways: Record<string, (consentId: string) => Promise<Answer>> = {
  async "on its pages"(consentId) {
    const url = await client.authorizationUrl({ scope: "payments", consentId });
    return sandbox.approve({ url }, { customer: "amara" });
  },
  async "in its app"(consentId) {
    expectStatus(await client.backchannel({ scope: "payments", consentId, claims: {} }), 200);
    await sandbox.scan({ id: consentId }, "amara");
    const warning = await waitingWarning();
    const page = await (await fetch(`${bank.publicUrl}/sandbox/app`)).text();
    const decided = await sandbox.decideInApp({ customer: "amara" });
    // whoever decides in the app has read it there
    assert.deepEqual(warning, decided.warning);
    assert.equal(page.includes('class="notice problem"'), warning !== null);
    assert.ok(page.includes((warning?.title ?? "").replaceAll("&", "&amp;")), page);
    return decided;
  },
  async "by the act that allows it"(consentId) {
    const asked = await client.backchannel({ scope: "payments", consentId, claims: {} });
    expectStatus(asked, 200);
    await sandbox.scan({ id: consentId }, "amara");
    const { auth_req_id: id } = asked.body as { auth_req_id: string };
    return bank.control<Answer>("POST", `/backchannel-requests/${id}/allow`, {});
  },
};

test("the button that allows a request says what the customer was told of the payee's name", async () => {
  const press = async (name: string) => {
    const { consentId } = await lodge(client, { payee: payee(name) });
    const asked = await client.backchannel({ scope: "payments", consentId, claims: {} });
    await sandbox.scan({ id: consentId }, "amara");
    const { auth_req_id: id } = asked.body as { auth_req_id: string };
    const body = new URLSearchParams({ id, act: "allow" });
    return (await fetch(`${bank.publicUrl}/sandbox/acts`, { method: "POST", body })).text();
  };
  const told =
    /Result: \w+\. The customer was told: The account is in the name of Amelia Jane Hartley\./;
  assert.match(await press("A Hartley"), told);
  const page = await press("Amelia Jane Hartley");
  assert.match(page, /Result: \w+\./);
  assert.doesNotMatch(page, /The customer was told/);
});

for (const [where, approve] of Object.entries(ways)) {
  test(`an approval without a browser says what the bank has said of the payee's name ${where}`, async () => {
    const said = async (name: string) =>
      (await approve((await lodge(client, { payee: payee(name) })).consentId)).warning;
    assert.equal(await said("Amelia Jane Hartley"), null);
    assert.deepEqual(await said("A Hartley"), {
      title: "The account is in the name of Amelia Jane Hartley",
      text: "That is close to A Hartley, but not the same. Continue only if this is who you want to pay.",
    });
    assert.equal(
      (await said("Smith & Sons"))?.title,
      "The account does not belong to Smith & Sons",
    );
  });
}

test("why the bank asks for a further code is not what it has said of the payee's name", async () => {
  const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
  const { assess } = core;
  let steps = 0;
  core.assess = async ({ hasSteppedUp }) => {
    steps += 1;
    return hasSteppedUp
      ? { result: "allow" }
      : { result: "step up", customerText: "You have never paid this payee before." };
  };
  try {
    const approve = present(ways["on its pages"], "the way by pages");
    const said = async (name: string) =>
      (await approve((await lodge(client, { payee: payee(name) })).consentId)).warning?.title;
    assert.equal(await said("Amelia Jane Hartley"), undefined);
    assert.equal(await said("A Hartley"), "The account is in the name of Amelia Jane Hartley");
    assert.equal(steps, 4);
  } finally {
    Object.assign(core, { assess });
  }
});

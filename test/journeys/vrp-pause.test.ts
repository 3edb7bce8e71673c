import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import { loadConsent } from "#src/consents/consent.ts";
import { setPaused } from "#src/consents/pause-consent.ts";
import { byCustomer } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import type { Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { type Change, commercial, scheme } from "#test/payments/limits/contract-bed.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { callChannel } from "./call-channel.ts";
import type { Customer, Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { picture } from "./page-bed.ts";
import { readConsent } from "./payments.ts";

// How a permission ends, and how the customer pauses its payments in the bank's own pages.

const appToken = "a-token-of-the-banks-own-channels";
const stem = "/v4.0/pisp/domestic-vrp";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore(
  async (bed) => {
    ({ bank, customers, client } = bed);
    const { clientId } = client.tpp;
    await bank.control("PUT", `/tpps/${clientId}/scheme-status`, { status: "Active" });
  },
  () => openBank({ APP_TOKEN: appToken }),
);

type Consented = { consentId: string; body: Json };

async function lodge(change: Change = () => undefined): Promise<Consented> {
  const body = vrpConsent((given) => {
    given.Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
    change(given);
  });
  const token = await client.clientToken("payments");
  const lodged = await client.call<Json>({ path: `${stem}-consents`, token, body });
  expectStatus(lodged, 201);
  return { consentId: lodged.body.Data.ConsentId, body };
}

async function approve({ consentId }: Consented, isFirst = true): Promise<Tokens> {
  const { accountId } = present((await bank.currentAccounts("amara"))[0], "an account");
  const given = { scope: "payments", consentId, customer: "amara" } as const;
  return bank.approve(client, { ...given, ...(isFirst ? { accounts: [accountId] } : {}) });
}

function pay({ consentId, body }: Consented, { access_token: token }: Tokens) {
  const order = vrpOrder(consentId, body, "1.00");
  order.Data.VRPType = scheme(1);
  return client.call<Json>({ path: `${stem}s`, token, body: order });
}

async function expectTexts(customer: Customer, ...texts: string[]): Promise<void> {
  const shown = await customer.text();
  for (const text of texts) assert.ok(shown.includes(text), `${text} in ${shown}`);
}

test("CV-87, CV-88: the customer pauses commercial payments in the bank's own pages and resumes them without the TPP, and cannot pause sweeping", async () => {
  const consented = await lodge(commercial([scheme(1)]));
  const [tokens, sweeping] = [await approve(consented), await lodge()];
  await approve(sweeping);
  expectStatus(await pay(consented, tokens), 201);

  const own = await customers.enterBank(bank, "amara");
  await own.open(`${bank.publicUrl}/bank/permissions/${sweeping.consentId}`);
  assert.equal(await own.page.getByRole("button", { name: "Pause payments" }).count(), 0);
  const page = `${bank.publicUrl}/bank/permissions/${consented.consentId}`;
  await own.open(page);
  await expectTexts(own, "Pause these payments?", "until you resume them here", "Active");
  await own.press("pause");
  await expectTexts(
    own,
    "Payments by Test TPP under this permission are paused. You can resume them here at any time.",
    "Test TPP still has another permission for payments.",
    "These payments are paused",
    "without asking you again",
    "Paused",
    "Used in this period",
    "Stop these payments?",
  );
  await picture(own, "vrp-paused");
  await own.page.setViewportSize({ width: 390, height: 900 });
  const buttons = await own.page.locator(".choices .button").all();
  const heights = await Promise.all(buttons.map((button) => button.boundingBox()));
  assert.equal(new Set(heights.map((box) => box?.height)).size, 1, "each text is on one line");
  await own.open(`${bank.publicUrl}/bank`);
  await expectTexts(own, "Paused");
  const refused = await pay(consented, tokens);
  expectStatus(refused, 403);
  assert.equal(refused.body.Errors[0].ErrorCode, "AG08");
  const { status } = await readConsent(client, "domestic-vrp-consents", consented.consentId);
  assert.equal(status, "AUTH");

  await own.open(page);
  await own.press("resume");
  await expectTexts(own, "Test TPP can make payments again, within the limits below.", "Active");
  await own.leave();
  expectStatus(await pay(consented, tokens), 201);
});

test("CV-88: a customer who authorises a paused consent again resumes its payments", async () => {
  const consented = await lodge(commercial([scheme(1)]));
  await approve(consented);
  const why = byCustomer(bank.clock.now());
  assert.ok(await setPaused(bank.database, consented, true, why));
  const again = await approve(consented, false);
  expectStatus(await pay(consented, again), 201);
});

test("CV-88: the page on which a customer authorises a paused consent again says that it resumes payments", async () => {
  const { consentId } = await lodge(commercial([scheme(1)]));
  await approve({ consentId, body: {} });
  assert.ok(await setPaused(bank.database, { consentId }, true, byCustomer(bank.clock.now())));
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await customer.goToApproval("amara");
  await expectTexts(
    customer,
    "Resume payments by Test TPP?",
    "You have paused these payments. If you approve, Test TPP can make payments again.",
  );
  const page = await customer.text();
  assert.doesNotMatch(page, /Nothing else changes|You allow payments|Continue to allow/);
  assert.equal(await customer.page.getByRole("button", { name: "Resume payments" }).count(), 1);
  await customer.leave();
});

/** A consent that its customer has approved, and then paused. */
async function lodgePaused(): Promise<Consented> {
  const consented = await lodge(commercial([scheme(1)]));
  await approve(consented);
  await pause(consented, true);
  return consented;
}

async function pause({ consentId }: Consented, isPaused: boolean): Promise<void> {
  assert.ok(await setPaused(bank.database, { consentId }, isPaused, byCustomer(bank.clock.now())));
}

async function isPausedNow({ consentId }: Consented): Promise<boolean> {
  const consent = present(await loadConsent(bank.database, consentId), "the consent");
  return consent.pausedAt !== null;
}

const pausedText =
  "You have paused these payments. If you approve, Test TPP can make payments again.";

type Fact = { label: string; value: string };
type AppJourney = { journeyId: string; shownHash: string; outcome: string; facts: Fact[] };
type AppAnswer = { journey: AppJourney };

async function callApp(path: string, body: object): Promise<AppJourney> {
  const request = { method: "POST", path, body };
  const response = await callChannel(bank.managementUrl, appToken, request);
  const text = await response.text();
  assert.ok(response.ok, text);
  return (JSON.parse(text) as AppAnswer).journey;
}

const urlOf = ({ consentId }: Consented): Promise<string> =>
  client.authorizationUrl({ scope: "payments", consentId });

/** What a customer reads who is asked for an approval, and the approval. */
type Asked = { text: string; approve(): Promise<{ isApproved: boolean; says: string }> };

const ways: Record<string, (consented: Consented) => Promise<Asked>> = {
  async "on the page"(consented) {
    const customer = await customers.arrive({ javaScriptEnabled: false });
    await customer.open(await urlOf(consented));
    await customer.goToApproval("amara");
    const text = await customer.text();
    return {
      text,
      async approve() {
        await customer.press("approve");
        const says = await customer.text();
        const isApproved = customer.page.url().includes("code=");
        await customer.leave();
        return { isApproved, says };
      },
    };
  },

  async "in the bank's app"(consented) {
    const persona = bank.sandbox?.personas.find(({ login }) => login === "amara");
    const { customerId } = present(persona, "amara");
    let shown = await callApp("/journeys", { authorizationUrl: await urlOf(consented) });
    // the app has not said yet who asks
    assert.ok(!shown.facts.some(({ value }) => value.includes("paused")));
    const decide = async () => {
      shown = await callApp(`/journeys/${shown.journeyId}/decision`, {
        ...{ decision: "approve", customerId, shownHash: shown.shownHash },
        authentication: { amr: ["hwk", "face"], at: bank.clock.now().toString() },
      });
      return { isApproved: shown.outcome === "approved", says: JSON.stringify(shown) };
    };
    // when it is known who asks, the app shows what that customer has given before
    await decide();
    const refused = (error: Error) => ({ isApproved: false, says: error.message });
    return { text: JSON.stringify(shown.facts), approve: () => decide().catch(refused) };
  },

  async "without a browser"({ consentId }) {
    const asked = await client.backchannel({ scope: "payments", consentId, claims: {} });
    expectStatus(asked, 200);
    await bank.control("POST", "/approvals/scans", { customer: "amara", consentId });
    type Waiting = { approvals: { approvalId: string; facts: Fact[] }[] };
    const { approvals } = await bank.control<Waiting>("GET", "/approvals");
    const { approvalId, facts } = present(approvals[0], "a request in the app");
    return {
      text: JSON.stringify(facts),
      async approve() {
        const answer = { decision: "approve" };
        await bank.control("POST", `/approvals/${approvalId}`, answer).catch(() => null);
        const { auth_req_id: id } = asked.body as unknown as { auth_req_id: string };
        const got = await client.poll(id);
        return { isApproved: got.status === 200, says: JSON.stringify(got.body) };
      },
    };
  },
};

for (const [way, ask] of Object.entries(ways)) {
  test(`CV-88: whoever authorises a paused consent again ${way} reads that it resumes payments`, async () => {
    const consented = await lodgePaused();
    const { text, approve: answer } = await ask(consented);
    assert.ok(text.includes(pausedText), text);
    const { isApproved, says } = await answer();
    assert.ok(isApproved, says);
    assert.equal(await isPausedNow(consented), false);
  });

  for (const isPaused of [true, false]) {
    const what = isPaused ? "paused" : "resumed";
    test(`CV-88: an approval ${way} does not count if the payments were ${what} since it was asked for`, async () => {
      const consented = isPaused ? await lodge(commercial([scheme(1)])) : await lodgePaused();
      if (isPaused) await approve(consented);
      const { text, approve: answer } = await ask(consented);
      assert.equal(text.includes(pausedText), !isPaused, text);
      await pause(consented, isPaused);
      const { isApproved, says } = await answer();
      assert.equal(isApproved, false, says);
      assert.equal(await isPausedNow(consented), isPaused, says);
    });

    test(`CV-88: an approval ${way} does not count if the payments are ${what} while it is stored`, async () => {
      const consented = isPaused ? await lodge(commercial([scheme(1)])) : await lodgePaused();
      if (isPaused) await approve(consented);
      const { approve: answer } = await ask(consented);
      const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
      const { assess } = core;
      // the core is asked after the consent was loaded, and before the approval is stored
      core.assess = async (request) => {
        await pause(consented, isPaused);
        return present(assess, "the core's assessment").call(core, request);
      };
      const { isApproved, says } = await answer().finally(() => Object.assign(core, { assess }));
      assert.equal(isApproved, false, says);
      assert.equal(await isPausedNow(consented), isPaused, says);
    });
  }
}

for (const [what, ValidToDateTime, ends] of [
  ["no end", undefined, "The permission ends when you cancel it."],
  ["an end", "2035-03-05T12:00:00Z", "The permission ends at the end of 5 March 2035, or when you"],
] as const) {
  test(`the page after the approval of a permission with ${what} says how it ends`, async () => {
    const { consentId } = await lodge(({ Data }) => {
      Object.assign(Data.ControlParameters, { ValidToDateTime });
    });
    const { accountId } = present((await bank.currentAccounts("amara"))[0], "an account");
    const customer = await customers.arrive({ javaScriptEnabled: false });
    await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
    await customer.goToApproval("amara", accountId);
    const form = { ...(await customer.hidden()), account: accountId, decision: "approve" };
    const answer = await customer.context.request.post(customer.page.url(), { form });
    const text = await answer.text();
    assert.ok(text.includes(ends), text);
    assert.match(
      text,
      /cancel it with Test TPP, or in your online banking under “Open Banking pay/,
    );
    await customer.leave();
  });
}

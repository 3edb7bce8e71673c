import assert from "node:assert/strict";
import { test } from "node:test";
import { setPaused } from "#src/consents/pause-consent.ts";
import { byCustomer } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import type { Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { type Change, commercial, scheme } from "#test/payments/limits/contract-bed.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import type { Customer, Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { picture } from "./page-bed.ts";
import { readConsent } from "./payments.ts";

// How a permission ends, and how the customer pauses its payments in the bank's own pages.

const stem = "/v4.0/pisp/domestic-vrp";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore(async (bed) => {
  ({ bank, customers, client } = bed);
  const { clientId } = client.tpp;
  await bank.control("PUT", `/tpps/${clientId}/scheme-status`, { status: "Active" });
});

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

for (const [what, ValidToDateTime, ends] of [
  ["no end", undefined, "The permission ends when you cancel it."],
  ["an end", "2035-03-05T12:00:00Z", "The permission ends on 5 March 2035, or when you"],
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

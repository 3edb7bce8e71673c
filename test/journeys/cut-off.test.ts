import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { sampleXml } from "#test/payments/files/samples.ts";
import { logIn } from "./log-in.ts";
import { lodge, order, readConsent, readOrder, untilStatus } from "./payments.ts";
import { uploadFile } from "./upload-file.ts";

let bank: TestBank | undefined;
after(() => bank?.close());

const london = (at: TestBank) => at.clock.now().toZonedDateTimeISO("Europe/London");

/** Returns the duration until this time of day in London, today or tomorrow. */
function untilTime(at: TestBank, time: string): string {
  const now = london(at);
  const today = now.withPlainTime(Temporal.PlainTime.from(time));
  const target = Temporal.ZonedDateTime.compare(today, now) > 0 ? today : today.add({ days: 1 });
  return now.until(target, { largestUnit: "hours" }).toString();
}

/** Makes a payment from an account of two, which the first of them has approved. */
async function signFirst(at: TestBank, client: TppClient): Promise<string> {
  const dev = (await at.customers()).find(({ login }) => login === "dev");
  const joint = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  const lodged = await lodge(client);
  const { access_token: token } = await at.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "dev",
    accounts: [joint?.accountId ?? ""],
  });
  return order(client, lodged, token);
}

test("P-109: with CUT_OFF_STRATEGY reject, a consent from before the cut-off cannot be authorised after it", async () => {
  bank = await openBank({ CUT_OFF_STRATEGY: "reject", CUT_OFF_TIME: "16:30" });
  const client = await bank.createTpp();
  await bank.advance(untilTime(bank, "16:10"));
  const { consentId } = await lodge(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  await bank.advance("PT21M");
  const { redirectUrl: back } = await bank.decide({
    authorizationUrl,
    customer: "amara",
    decision: "approve",
  });
  const answer = new URLSearchParams(new URL(back).hash.slice(1));
  assert.equal(answer.get("error"), "access_denied");
  assert.match(answer.get("error_description") ?? "", /U012/);
  const seen = await readConsent(client, "domestic-payment-consents", consentId);
  assert.deepEqual(seen, { status: "RJCT", reasons: ["U012"] });
  await bank.close();
});

test("P-110: with CUT_OFF_STRATEGY accept, a payment after the cut-off is made on the next working day", async () => {
  bank = await openBank({ CUT_OFF_STRATEGY: "accept", CUT_OFF_TIME: "16:30" });
  const client = await bank.createTpp();
  await bank.advance(untilTime(bank, "16:40"));
  const today = london(bank).toPlainDate();
  const lodged = await lodge(client);
  const [payer] = await bank.currentAccounts("amara");
  assert.ok(payer);
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "amara",
    accounts: [payer.accountId],
  });
  const id = await order(client, lodged, token);
  const visitor = new Visitor(bank);
  const { consentId } = await lodge(client);
  await visitor.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await visitor.submit({ login: "amara", password: "amara-sandbox", decision: "continue" });
  assert.equal(visitor.step, "factor");
  assert.match(
    visitor.shown.body,
    /paid yet\.<\/b> It is too late for today: we will pay on \w+day .{8,20} at the earliest\./,
  );
  // a file with days of its own does not depend on the cut-off
  const date = london(bank).add({ days: 9 }).toPlainDate().toString();
  const group = { date, debtor: payer.identification, payments: [{}] };
  const file = sampleXml({ groups: [group] });
  const later = await uploadFile({ client }, "UK.OBIE.pain.001.001.08", file);
  const uploader = new Visitor(bank);
  await uploader.open(await client.authorizationUrl({ scope: "payments", consentId: later }));
  await uploader.submit({ login: "amara", password: "amara-sandbox", decision: "continue" });
  assert.equal(uploader.step, "factor");
  assert.match(uploader.shown.body, /Payment date/);
  assert.doesNotMatch(uploader.shown.body, /too late for today/);
  const shared = await signFirst(bank, client);
  const elin = await logIn(bank, "elin");
  await elin.open(`${bank.publicUrl}/bank/approvals/${shared}`);
  assert.match(elin.shown.body, /Once all have approved, but not before \w+day /);
  await bank.control("POST", `/multi-authorisations/${shared}`, { decision: "approve" });
  await bank.advance("PT5H");
  const accepted = await readOrder(client, "domestic-payment", shared);
  assert.ok(!["ACSC", "ACCC"].includes(String(accepted.Status)), String(accepted.Status));
  const waiting = await readOrder(client, "domestic-payment", id);
  assert.ok(!["ACSC", "ACCC"].includes(String(waiting.Status)), String(waiting.Status));
  await bank.advance("P5D");
  const done = await untilStatus(client, "domestic-payment", id, "ACCC", "ACSC");
  const settled = Temporal.Instant.from(String(done.StatusUpdateDateTime));
  const day = settled.toZonedDateTimeISO("Europe/London");
  assert.ok(Temporal.PlainDate.compare(day.toPlainDate(), today) > 0);
  assert.ok(day.dayOfWeek <= 5, "a working day");
});

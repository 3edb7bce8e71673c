import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bank, PaymentInstruction } from "#src/bank/port.ts";
import { isWorkingDay, processingInstant } from "#src/payments/calendar/timing.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import { waitLonger } from "#test/payments/stored-orders.ts";
import { quietPersonas } from "#test/sandbox/quiet-personas.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { picture } from "./page-bed.ts";
import { loadFunds, lodge, order, quickPayee, readOrder, untilStatus } from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
/** What the core hears with each payment. */
const heard: PaymentInstruction[] = [];
let jointAccount: string;
openBefore(async (bed) => {
  ({ bank, customers, client } = bed);
  await quietPersonas(bank.database); // on the first of a month, a rent would fall due meanwhile
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  assert.ok(account);
  jointAccount = account.accountId;
  const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
  const { reserve } = core;
  core.readsContext = true;
  core.reserve = (payments) => {
    heard.push(...payments);
    return reserve.call(core, payments);
  };
});

/** Makes a payment of the business that its first signatory has approved. */
async function signFirst(data: Record<string, unknown> = {}): Promise<string> {
  const lodged = await lodge(client, { amount: "310.00", data });
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "dev",
    accounts: [jointAccount],
  });
  const id = await order(client, lodged, token);
  const { Status, MultiAuthorisation } = await readOrder(client, "domestic-payment", id);
  assert.equal(Status, "PATC");
  const { Status: status, NumberRequired, NumberReceived } = MultiAuthorisation as Wait;
  assert.deepEqual([status, NumberRequired, NumberReceived], ["AWAF", 2, 1]);
  return id;
}

type Wait = { Status: string; NumberRequired: number; NumberReceived: number };

const enterBank = (login: string) => customers.enterBank(bank, login);

const read = (id: string) => readOrder(client, "domestic-payment", id);
const statusOf = async (id: string) => {
  const { Status, MultiAuthorisation } = await read(id);
  return [Status, (MultiAuthorisation as Wait).Status];
};
const sign = (id: string, body: object): Promise<Response> =>
  fetch(`${bank.publicUrl}/sandbox/v1/multi-authorisations/${id}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test("the second signatory approves in the bank's own pages, and the payment settles", async () => {
  const before = await loadFunds(bank, jointAccount);
  const id = await signFirst();
  const elin = await enterBank("elin");
  await elin.follow(`a[href="/bank/approvals/${id}"]`);
  const shown = await elin.text();
  assert.match(shown, /£310\.00/);
  assert.match(shown, new RegExp(quickPayee.Name));
  assert.match(shown, /Dev Patel/);
  await elin.press("approve");
  assert.deepEqual(await statusOf(id), ["PATC", "AWAF"], "a login does not sign anything");
  const confirming = await elin.text();
  assert.match(confirming, /Nothing has been done yet/);
  assert.match(confirming, /£310\.00/);
  assert.match(confirming, new RegExp(quickPayee.Name));
  await elin.factor("000000");
  assert.match(await elin.text(), /That code is not right/);
  await elin.factor();
  assert.match(await elin.text(), /You have approved £310\.00 to .*No more approvals are needed/);
  await elin.page.reload();
  assert.equal(await elin.page.locator(`a[href="/bank/approvals/${id}"]`).count(), 0);
  await elin.leave();
  const done = await untilStatus(client, "domestic-payment", id, "ACCC");
  const { Status, NumberReceived } = done.MultiAuthorisation as Wait;
  assert.deepEqual([Status, NumberReceived], ["AUTH", 2]);
  const context = heard.find((each) => each.context?.orderId === id)?.context;
  const approvals = context?.approvedBy.map(({ authentication }) => authentication) ?? [];
  for (const each of approvals) assert.deepEqual(each?.amr, ["pwd", "otp", "mfa"]);
  const [first, second] = approvals.map((each) => each?.at);
  assert.ok(first && second && Temporal.Instant.compare(first, second) < 0);
  assert.equal(before.bookedMinor - (await loadFunds(bank, jointAccount)).bookedMinor, 31_000n);
});

test("the second signatory declines in the bank's own pages, and the order is RJCT", async () => {
  const before = await loadFunds(bank, jointAccount);
  const id = await signFirst();
  const elin = await enterBank("elin");
  await elin.follow(`a[href="/bank/approvals/${id}"]`);
  await elin.press("decline");
  assert.match(await elin.text(), /Decline this payment\?.*nothing will be paid.*£310\.00/);
  assert.deepEqual(await statusOf(id), ["PATC", "AWAF"], "the page only asks");
  await elin.press("keep");
  await elin.press("decline");
  await elin.press("stop");
  assert.match(await elin.text(), /You have declined/);
  await elin.leave();
  assert.deepEqual(await statusOf(id), ["RJCT", "RJCT"]);
  assert.deepEqual(await loadFunds(bank, jointAccount), before);
});

test("a signatory is not asked twice, and a stranger cannot see the payment", async () => {
  const id = await signFirst();
  for (const login of ["dev", "amara"]) {
    const customer = await enterBank(login);
    assert.equal(await customer.page.locator(`a[href="/bank/approvals/${id}"]`).count(), 0);
    await customer.open(`${bank.publicUrl}/bank/approvals/${id}`);
    assert.equal(await customer.page.locator("button[value=approve]").count(), 0);
    await customer.leave();
  }
  assert.deepEqual(await statusOf(id), ["PATC", "AWAF"]);
});

test("the sandbox's interface signs as the next signatory, or as the one that the request names", async () => {
  const approved = await signFirst();
  const complete = await sign(approved, { decision: "approve" });
  assert.equal(complete.status, 200);
  assert.deepEqual(await complete.json(), { result: "complete" });
  await untilStatus(client, "domestic-payment", approved, "ACCC");
  assert.equal((await sign(approved, { decision: "approve", customer: "elin" })).status, 409);

  const rejected = await signFirst();
  assert.equal((await sign(rejected, { decision: "approve", customer: "dev" })).status, 409);
  assert.equal((await sign(rejected, { decision: "approve", customer: "amara" })).status, 409);
  assert.equal((await sign(rejected, { decision: "approve", customer: "nobody" })).status, 404);
  const answer = await sign(rejected, { decision: "reject", customer: "elin" });
  assert.deepEqual(await answer.json(), { result: "rejected" });
  assert.deepEqual(await statusOf(rejected), ["RJCT", "RJCT"]);
});

test("concurrent signatures of one signatory count once", async () => {
  const id = await signFirst();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => sign(id, { decision: "approve", customer: "elin" })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 409, 409, 409, 409]);
  const done = await untilStatus(client, "domestic-payment", id, "ACCC");
  assert.equal((done.MultiAuthorisation as Wait).NumberReceived, 2);
});

test("an order that is not signed in time becomes RJCT by the bank's clock", async () => {
  const soon = bank.clock.now().add({ hours: 3 }).toString({ smallestUnit: "second" });
  const dated = await signFirst({
    Authorisation: { AuthorisationType: "Any", CompletionDateTime: soon },
  });
  const undated = await signFirst();
  await bank.advance("PT2H");
  assert.deepEqual(await statusOf(dated), ["PATC", "AWAF"]);
  await bank.advance("PT2H");
  assert.deepEqual(await statusOf(dated), ["RJCT", "RJCT"]);
  assert.equal((await sign(dated, { decision: "approve" })).status, 409);
  assert.deepEqual(await statusOf(undated), ["PATC", "AWAF"]);
  await bank.advance("P40D");
  const [status] = await statusOf(undated);
  assert.equal(status, "RJCT");
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});

const scheduled = "domestic-scheduled-payment";

/** A payment of the business on the next Friday, which its first signatory has approved. */
async function signFirstForFriday(): Promise<{ id: string; day: Temporal.PlainDate }> {
  const today = bank.clock.now().toZonedDateTimeISO("Europe/London").toPlainDate();
  let day = today.add({ days: 1 });
  while (day.dayOfWeek !== 5 || !isWorkingDay(day)) day = day.add({ days: 1 });
  const lodged = await lodge(client, {
    kind: scheduled,
    initiation: { RequestedExecutionDateTime: `${day}T00:00:00+00:00` },
  });
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "dev",
    accounts: [jointAccount],
  });
  return { id: await order(client, lodged, token), day };
}

const goTo = (day: Temporal.PlainDate) =>
  bank.control("PUT", "/clock", {
    now: day.toZonedDateTime({ timeZone: "Europe/London", plainTime: "10:00" }).toInstant(),
  });

test("a scheduled payment waits for signatures until the time at which it is made", async () => {
  const { id, day } = await signFirstForFriday();
  const { MultiAuthorisation } = await readOrder(client, scheduled, id);
  const { ExpirationDateTime } = MultiAuthorisation as { ExpirationDateTime: string };
  assert.equal(
    Temporal.Instant.from(ExpirationDateTime).toString(),
    processingInstant(day).toString(),
  );
  await goTo(day.add({ days: 1 }));
  const { Status } = await untilStatus(client, scheduled, id, "RJCT");
  assert.equal(Status, "RJCT");
  assert.equal((await sign(id, { decision: "approve" })).status, 409);
});

test("the second signatory reads the day of a scheduled payment, and until when it can be cancelled", async () => {
  const { id, day } = await signFirstForFriday();
  const friday = day
    .toLocaleString("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" })
    .replace(",", "");
  const elin = await enterBank("elin");
  const waiting = await elin.page.getByRole("region", { name: "Waiting" }).textContent();
  assert.ok(waiting?.includes(`Payment date: ${friday}`), waiting ?? "");
  await picture(elin, "own-waiting");
  await elin.follow(`a[href="/bank/approvals/${id}"]`);
  const shown = await elin.text();
  assert.match(shown, /We will not make it until all have approved it\./);
  assert.ok(shown.includes(`Payment date${friday}`), shown);
  assert.match(shown, /on that day\. Once all have approved it, you can cancel .* until then\./);
  await picture(elin, "own-scheduled");
  await elin.press("decline");
  assert.doesNotMatch(await elin.text(), /The money leaves your account/);
  await elin.press("keep");
  await elin.press("approve");
  await elin.factor();
  assert.ok((await elin.text()).includes(`, to be paid on ${friday}. No more`));
  await elin.follow(`a[href="/bank/upcoming/${id}"]`);
  await elin.leave();
});

test("the pages name no day that has passed, if an order of an earlier release waits longer", async () => {
  const { id, day } = await signFirstForFriday();
  await waitLonger(bank.database, id);
  await goTo(day.add({ days: 1 }));
  const elin = await enterBank("elin");
  await elin.follow(`a[href="/bank/approvals/${id}"]`);
  const shown = await elin.text();
  assert.match(shown, /Payment date\s*Once all have approved/);
  assert.doesNotMatch(shown, /on that day|until then/);
  await elin.press("approve");
  await elin.factor();
  const notice = await elin.text();
  assert.match(notice, /You have approved £12\.34/);
  assert.doesNotMatch(notice, /to be paid on/);
  await elin.leave();
  await untilStatus(client, scheduled, id, "ACCC");
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { formatIn, type PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { exposeDetailStatus } from "#src/payments/order/order-states.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { ShownOutcome } from "#src/sandbox/controls/outcome-shape.ts";
import { outcomeUsers } from "#src/sandbox/personas/outcome-users.ts";
import { eventScenarios } from "#src/sandbox/scenarios/event-scenarios.ts";
import { fundsScenarios } from "#src/sandbox/scenarios/funds-scenarios.ts";
import {
  refusalOf,
  type Scenario,
  scenarios,
  statusesOf,
  triggersOf,
} from "#src/sandbox/scenarios/scenarios.ts";
import { accountsAbroad, homeAccounts } from "#src/sandbox/scenarios/scenarios-page.ts";
import { vrpScenarios } from "#src/sandbox/scenarios/vrp-scenarios.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { DemoCreditor } from "#src/server/examples/example.ts";
import { demoOf, examplesIn } from "#src/server/examples/examples.ts";
import { openSet, poll, pollNow, subscribe, urnOf } from "#test/events/events-bed.ts";
import { CardIssuer, named } from "#test/funds/card-issuer.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { quickPayee } from "#test/journeys/payments.ts";
import { limit, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { until } from "#test/until.ts";

let bank: TestBank;
let client: TppClient;
let accountId: string;
/** An account with enough money for every payment of this file. */
let richAccount: string;

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  richAccount = present((await bank.currentAccounts("harriet"))[0], "an account").accountId;
});
after(() => bank?.close());

type Resource = { Data: Record<string, unknown> };
type Entry = { Status: string; StatusDetail?: { StatusReason?: string } };

/** What asks for an outcome: one trigger, in a payment that has no other. */
type Trigger = "payee" | "amount" | "reference";

type Asked = { trigger?: Trigger; payee?: DemoCreditor; customer?: string; account?: string };

/** Returns the payee of a scenario in the notation that the page gives for the kind. */
function payeeOf(kind: PaymentKind, scenario: Scenario): DemoCreditor {
  const accounts = demoOf(kind).creditor ? accountsAbroad(scenario) : homeAccounts(scenario);
  const iban = present(
    accounts.find(({ label }) => label.startsWith("IBAN")),
    "an IBAN",
  );
  return { SchemeName: "UK.OBIE.IBAN", Identification: iban.value, Name: scenario.name };
}

/** A payee without an outcome of its own. */
const otherPayee = (kind: PaymentKind): DemoCreditor =>
  demoOf(kind).creditor ?? {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "00981120775630",
    Name: "Ashdown Homes",
  };

/** Writes an amount and a reference over those of every payment in a body. */
function overwrite(body: unknown, given: { amount?: string; reference?: string }): void {
  if (typeof body !== "object" || body === null) return;
  const members = body as Record<string, unknown>;
  const { amount, reference } = given;
  if (amount !== undefined && "Amount" in members) members.Amount = amount;
  if (reference !== undefined && "Unstructured" in members) members.Unstructured = [reference];
  for (const value of Object.values(members)) overwrite(value, given);
}

/** Returns the bodies of an order that asks for the scenario by one trigger. */
function bodiesOf(
  kind: PaymentKind,
  scenario: Scenario,
  { trigger = "payee", payee: given }: Pick<Asked, "trigger" | "payee">,
  at: Temporal.Instant,
) {
  const payee = given ?? (trigger === "payee" ? payeeOf(kind, scenario) : otherPayee(kind));
  const bodies = structuredClone(examplesIn(kind, "pisp-v4.0").demo(payee, at));
  if (trigger === "payee") return bodies;
  const triggers = triggersOf(scenario);
  const written = { [trigger]: triggers[trigger] };
  if (bodies.file === undefined) {
    overwrite(bodies, written);
    if (!JSON.stringify(bodies).includes(triggers[trigger])) {
      const { consent, order } = bodies as unknown as Record<string, Resource>;
      for (const { Data } of [present(consent, "a consent"), present(order, "an order")]) {
        (Data.Initiation as Record<string, unknown>).RemittanceInformation = {
          Unstructured: [triggers.reference],
        };
      }
    }
    return bodies;
  }
  const lines = JSON.parse(String(bodies.file)) as { Data: { DomesticPayments: object[] } };
  overwrite(lines, written);
  const count = lines.Data.DomesticPayments.length;
  const file = JSON.stringify(lines);
  const pence = trigger === "amount" ? Number(triggers.amount.replace(".", "")) * count : 1250;
  for (const { Data } of [bodies.consent, bodies.order] as unknown as Resource[]) {
    Object.assign(Data.Initiation as object, {
      FileHash: createHash("sha256").update(file).digest("base64"),
      ControlSum: pence / 100,
    });
  }
  return { ...bodies, file };
}

/** Makes an order that asks for the scenario, and returns its path. */
async function pay(kind: PaymentKind, scenario: Scenario, asked: Asked = {}): Promise<string> {
  const { customer = "harriet", account = richAccount } = asked;
  const { now } = await bank.control<{ now: string }>("GET", "/clock");
  const at = Temporal.Instant.from(now);
  const { consent: body, order: ordered, file } = bodiesOf(kind, scenario, asked, at);
  const token = await client.clientToken("payments");
  const consents = `/v4.0/pisp/${kind.id}-consents`;
  const lodged = await client.call<Resource>({ path: consents, token, body });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  if (file !== undefined) {
    const path = `${consents}/${consentId}/file`;
    expectStatus(await client.call({ path, token, body: file }), 200);
  }
  const theirs = await bank.approve(client, {
    scope: "payments",
    consentId,
    customer,
    accounts: [account],
  });
  const order = await client.call<Resource>({
    path: `/v4.0/pisp/${kind.id}s`,
    token: theirs.access_token,
    body: { ...ordered, Data: { ...ordered.Data, ConsentId: consentId } },
  });
  expectStatus(order, 201);
  return `/v4.0/pisp/${kind.id}s/${String(order.body.Data[kind.orderIdField])}`;
}

for (const kind of paymentKinds) {
  const { id } = kind;
  test(`each scenario of a ${id} has the outcome that the scenarios page gives`, async () => {
    const made: { scenario: Scenario; path: string }[] = [];
    for (const scenario of scenarios) {
      for (const trigger of ["payee", "amount", "reference"] as const) {
        made.push({ scenario, path: await pay(kind, scenario, { trigger }) });
      }
    }
    // long enough for future-dated orders, and for the scenario that responds after a day
    await bank.advance("P12D");
    const token = await client.clientToken("payments");
    for (const { scenario, path } of made) {
      const { answer, name } = scenario;
      const details = await client.call<{ Data: { PaymentStatus: Entry[] } }>({
        path: `${path}/payment-details`,
        token,
      });
      expectStatus(details, 200);
      const entry = present(details.body.Data.PaymentStatus[0], "an entry");
      const last = present(statusesOf(answer).at(-1), "a last status");
      assert.equal(
        entry.Status,
        exposeDetailStatus(formatIn(kind, "pisp-v4.0").statuses, last),
        name,
      );
      assert.equal(entry.StatusDetail?.StatusReason ?? null, refusalOf(answer), `${name} ${path}`);
    }
    const breaches = await bank.control<{ breaches: string[] }>("GET", "/verify");
    assert.deepEqual(breaches.breaches, []);
  });
}

for (const { login, outcome } of outcomeUsers.filter((user) => user.outcome !== undefined)) {
  test(`a payment of ${login} has the outcome of its user name`, async () => {
    const scenario = present(
      scenarios.find(({ number }) => number === outcome),
      "the outcome",
    );
    const kind = present(paymentKinds[0], "a kind");
    const [account] = await bank.currentAccounts(login);
    const ordinary = { ...scenario, number: "00" };
    const given = { customer: login, account: present(account, "an account").accountId };
    const path = await pay(kind, ordinary, given);
    await bank.advance("P2D");
    const token = await client.clientToken("payments");
    const order = await client.call<Resource>({ path, token });
    const [reason] = (order.body.Data.StatusReason ?? []) as { StatusReasonCode?: string }[];
    const found = [order.body.Data.Status, reason?.StatusReasonCode ?? null];
    assert.deepEqual(found, [statusesOf(scenario.answer).at(-1), refusalOf(scenario.answer)]);
  });
}

test("a settled payment that is returned comes back as a transaction of its debtor", async () => {
  const scenario = present(
    scenarios.find(({ answer }) => answer.kind === "acceptThenReturn"),
    "the outcome",
  );
  const login = "test_executed";
  const ownAccount = async () => present((await bank.currentAccounts(login))[0], "an account");
  const { accountId: account, balance } = await ownAccount();
  const kind = present(paymentKinds[0], "a kind");
  const path = await pay(kind, scenario, { customer: login, account });
  const statusOf = async () => {
    const token = await client.clientToken("payments");
    return (await client.call<Resource>({ path, token })).body.Data.Status;
  };
  assert.equal(await until(statusOf, (status) => status === "ACCC"), "ACCC");
  assert.notEqual((await ownAccount()).balance, balance);
  await bank.advance("P1DT1M");
  assert.equal((await ownAccount()).balance, balance);
  assert.equal(await statusOf(), "ACCC");
});

test("a customer whose codes are refused or expire, or whose login is locked, never gets through", async () => {
  const stopped = outcomeUsers.filter((user) => user.outcome === undefined && !user.usesApp);
  assert.ok(stopped.some(({ isLocked }) => isLocked));
  for (const { login, isLocked } of stopped) {
    const kind = present(paymentKinds[0], "a kind");
    const [scenario] = scenarios;
    await assert.rejects(
      pay(kind, present(scenario, "an outcome"), { customer: login }),
      isLocked ? /answered 429 and says: There were too many attempts\. Try again/ : /code/,
      login,
    );
  }
});

test("an outcome at this bank is the same for a payee at this bank", async () => {
  const kind = present(paymentKinds[0], "a kind");
  const [own] = await bank.currentAccounts("finn");
  const inside: DemoCreditor = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: present(own, "an account").identification,
    Name: "Finn Doyle",
  };
  const made: { scenario: Scenario; path: string }[] = [];
  for (const scenario of scenarios) {
    made.push({ scenario, path: await pay(kind, scenario, { trigger: "amount", payee: inside }) });
  }
  await bank.advance("P2D");
  const token = await client.clientToken("payments");
  for (const { scenario, path } of made) {
    const { Status } = (await client.call<Resource>({ path, token })).body.Data;
    assert.equal(Status, statusesOf(scenario.answer).at(-1), scenario.name);
  }
  const breaches = await bank.control<{ breaches: string[] }>("GET", "/verify");
  assert.deepEqual(breaches.breaches, []);
});

test("the interface lists each outcome with what triggers it", async () => {
  const { outcomes } = await bank.control<{ outcomes: ShownOutcome[] }>("GET", "/outcomes");
  assert.deepEqual(
    outcomes.map(({ number, statuses, reason }) => [number, statuses, reason]),
    scenarios.map((one) => [one.number, statusesOf(one.answer), refusalOf(one.answer)]),
  );
  const table = readFileSync("docs/sandbox.md", "utf8");
  for (const { number, name, triggers, statuses, reason } of outcomes) {
    const end = [statuses.join(", "), reason].filter(Boolean).join(" ");
    const row = `| ${number} | ${name} | ${end} | ${triggers.user ? `\`${triggers.user}\`` : ""} |`;
    assert.ok(table.includes(row), row);
  }
});

test("each variable recurring payment has the outcome that the scenarios page gives", async () => {
  const stem = "/v4.0/pisp/domestic-vrp";
  for (const { name, single, daily, before, meanwhile, amount, outcome } of vrpScenarios) {
    // so that no scenario runs over midnight
    const day = bank.clock.now().toZonedDateTimeISO("Europe/London").add({ days: 1 });
    await bank.control("PUT", "/clock", { now: day.startOfDay().toInstant().toString() });
    const body = vrpConsent(({ Data }) => {
      Data.Initiation.CreditorAccount = quickPayee;
      Data.ControlParameters.MaximumIndividualAmount.Amount = single;
      Data.ControlParameters.PeriodicLimits = [limit("Day", "Calendar", daily)];
    });
    const token = await client.clientToken("payments");
    const lodged = await client.call<Resource>({ path: `${stem}-consents`, token, body });
    expectStatus(lodged, 201);
    const consentId = String(lodged.body.Data.ConsentId);
    const given = { customer: "amara", accounts: [accountId] };
    let tokens = await bank.approve(client, { scope: "payments", consentId, ...given });
    const pay = (of: string) =>
      client.call<Resource & { Errors: { ErrorCode: string }[] }>({
        path: `${stem}s`,
        token: tokens.access_token,
        body: vrpOrder(consentId, body, of),
      });
    for (const earlier of before) expectStatus(await pay(earlier), 201);
    if (meanwhile === "a new day") {
      await bank.advance("P1D");
      tokens = await client.refresh(present(tokens.refresh_token, "a refresh token"));
    }
    if (meanwhile === "revocation") await bank.control("POST", `/consents/${consentId}/revoke`, {});
    const made = await pay(amount);
    if ("refusal" in outcome) {
      assert.equal(made.body.Errors?.[0]?.ErrorCode, outcome.refusal, name);
      continue;
    }
    expectStatus(made, 201);
    const path = `${stem}s/${made.body.Data.DomesticVRPId}`;
    const current = await client.clientToken("payments");
    const ended = await until(
      async () => (await client.call<Resource>({ path, token: current })).body.Data,
      ({ Status }) => Status === "ACCC" || Status === "RJCT",
    );
    const [reason] = (ended.StatusReason ?? []) as { StatusReasonCode: string }[];
    const found =
      ended.Status === "RJCT"
        ? { status: ended.Status, reason: reason?.StatusReasonCode }
        : { status: ended.Status };
    assert.deepEqual(found, outcome, name);
  }
});

test("each question about funds has the answer that the scenarios page gives", async () => {
  const issuer = new CardIssuer(bank, client, "/v4.0/cbpii");
  const [account] = await bank.currentAccounts("amara");
  const consent = await issuer.authorised("amara", named(account?.identification ?? null));
  for (const { name, amount, act = "reopen", answer } of fundsScenarios) {
    await bank.control("POST", `/accounts/${accountId}/${act}`, {});
    const { body } = await issuer.ask(consent, amount.Amount, { currency: amount.Currency });
    assert.equal(body.Data?.FundsAvailable ?? body.Errors[0]?.ErrorCode, answer, name);
    assert.equal((await issuer.read(consent.consentId)).body.Data.Status, "AUTH", name);
  }
  await bank.control("POST", `/accounts/${accountId}/reopen`, {});
});

test("each change has the event that the scenarios page gives", async () => {
  const scope = "accounts";
  const tpp = await bank.createTpp();
  await subscribe(tpp);
  const lodged = await tpp.call<Resource>({
    path: "/v4.0/aisp/account-access-consents",
    token: await tpp.clientToken(scope),
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  await bank.approve(tpp, { scope, consentId, customer: "amara", accounts: [accountId] });
  for (const { name, act, types, reason } of eventScenarios) {
    const object = act === "revoke" ? `consents/${consentId}` : `accounts/${accountId}`;
    await bank.control("POST", `/${object}/${act}`, {});
    const { sets } = await poll(tpp);
    const [[jti, set] = ["", ""], ...more] = Object.entries(sets);
    assert.deepEqual(more, []);
    const { events } = await openSet(tpp, set);
    assert.deepEqual(Object.keys(events).toSorted(), types.map(urnOf).toSorted(), name);
    const [event] = Object.values(events) as { reason?: string }[];
    assert.equal(event?.reason, reason, name);
    await pollNow(tpp, { ack: [jti] });
  }
  await bank.control("POST", `/accounts/${accountId}/reopen`, {});
});

test("the scenarios page lists what to send for each scenario", async () => {
  const page = await (await fetch(`${bank.publicUrl}/docs/scenarios`)).text();
  for (const scenario of scenarios) {
    for (const { value } of [...homeAccounts(scenario), ...accountsAbroad(scenario)]) {
      assert.ok(page.includes(value), value);
    }
  }
  for (const { amount } of fundsScenarios) assert.ok(page.includes(amount.Amount), amount.Amount);
  for (const { daily, amount } of vrpScenarios) {
    for (const text of [`${daily} per day`, amount]) assert.ok(page.includes(text), text);
  }
  for (const { types } of eventScenarios) assert.ok(page.includes(types.join(" + ")));
});

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { AssessedConsent, AssessedOrder, OrderAssessment } from "#src/bank/assessment.ts";
import type { Bank, PaymentInstruction } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { formatIn, type PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { exposeDetailStatus, exposeStatus } from "#src/payments/order/order-states.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { initiationFailed } from "#src/standard/pisp-v3.1/payment-statuses.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";
import { type ApprovedKind, type Approver, approveKind, consentDevice } from "./approved-kind.ts";
import { logIn } from "./log-in.ts";
import { nextMonday } from "./next-monday.ts";
import { loadFunds, type Resource } from "./payments.ts";

// What the bank's core is asked before an order is accepted, and what becomes of the order. Here
// the core is the sandbox bank with a call `assessOrder` of the test.

let bank: TestBank;
let client: TppClient;
let single: string;
let joint: string;
let asked: AssessedOrder[] = [];
/** What it was asked about consents. */
const consents = new Map<string, AssessedConsent>();
/** When the core reserved the first payment of each order. */
const reserved = new Map<string, Temporal.Instant>();
/** When the core executed it, and the order of each such payment. */
const executed = new Map<string, Temporal.Instant>();
const orderOf = new Map<string, string>();
let answer: (order: AssessedOrder) => OrderAssessment = () => ({ result: "allow" });

type Core = { -readonly [Name in keyof Bank]: Bank[Name] };
let core: Core;

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  single = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  joint = present(account, "an account that two must sign for").accountId;
  core = bank.bank as Core;
  const { reserve, execute } = core;
  core.reserve = (payments: PaymentInstruction[]) => {
    for (const { paymentId, context } of payments) {
      if (context?.sequence !== 1) continue;
      reserved.set(context.orderId, bank.clock.now());
      orderOf.set(paymentId, context.orderId);
    }
    return reserve.call(core, payments);
  };
  core.execute = (payments: PaymentInstruction[]) => {
    for (const { paymentId } of payments) {
      const orderId = orderOf.get(paymentId);
      if (orderId !== undefined) executed.set(orderId, bank.clock.now());
    }
    return execute.call(core, payments);
  };
  core.assess = async (consent) => {
    consents.set(consent.consentId, consent);
    return { result: "allow" };
  };
  core.assessOrder = async (order) => {
    asked.push(order);
    return answer(order);
  };
});
beforeEach(() => {
  asked = [];
  core.readsContext = true;
});
after(() => bank?.close());

const reason = { code: "AM14", text: "The daily limit of the customer would be exceeded." };
const versions = ["pisp-v3.1", "pisp-v4.0"] as const satisfies ApiVersionId[];
const served = paymentKinds.flatMap((kind) =>
  versions.filter((version) => version in kind.formats).map((version) => ({ kind, version })),
);

const heardAt = consentDevice["x-fapi-customer-ip-address"];
const amara = (): Approver => ({ customer: "amara", account: single });
const approved = (kind: PaymentKind, version: ApiVersionId, by = amara()): Promise<ApprovedKind> =>
  approveKind({ bank, client }, kind, version, by);

type Made = { orderId: string; path: string; data: Record<string, unknown> };

async function submit(kind: PaymentKind, given: ApprovedKind): Promise<Made> {
  const made = await client.call<Resource>(given);
  expectStatus(made, 201);
  const orderId = String(made.body.Data[kind.orderIdField]);
  return { orderId, path: `${given.path}/${orderId}`, data: made.body.Data };
}

async function read(path: string): Promise<Record<string, unknown>> {
  const token = await client.clientToken("payments");
  const found = await client.call<Resource>({ path, token });
  expectStatus(found, 200);
  return found.body.Data;
}

type Listed = { orderId: string; state: string; executeAt: string; canAct: boolean };

type Entry = { Status: string; StatusDetail?: { StatusReason?: string } };

const firstPayment = async (path: string): Promise<Entry> =>
  present(((await read(`${path}/payment-details`)).PaymentStatus as Entry[])[0], "a payment");

const breaches = async () =>
  (await bank.control<{ breaches: string[] }>("GET", "/verify")).breaches;

/** The reasons of an order; v3.1 does not show them. */
const reasonsOf = (data: Record<string, unknown>) =>
  ((data.StatusReason ?? []) as Record<string, string>[]).map((one) => ({
    code: one.StatusReasonCode,
    text: one.StatusReasonDescription,
  }));

for (const { kind, version } of served) {
  const rule = kind.shape.use === "once" ? "P-165" : "V-126";
  test(`${rule}: a core can refuse a ${kind.id} on ${version}, and nothing is paid`, async () => {
    const { statuses } = formatIn(kind, version);
    const ready = await approved(kind, version);
    answer = () => ({ result: "refuse", reason });
    const before = await loadFunds(bank, single);
    const { path, data, orderId } = await submit(kind, ready);
    const isSetUp = version === "pisp-v3.1" && kind.family === "scheduled";
    const refused = isSetUp ? initiationFailed : exposeStatus(statuses, "RJCT");
    assert.equal(data.Status, refused);
    if (version === "pisp-v4.0") assert.deepEqual(reasonsOf(data), [reason]);
    assert.equal((await read(path)).Status, refused);
    const payment = await firstPayment(path);
    assert.equal(payment.Status, exposeDetailStatus(statuses, "RJCT"));
    const consent = await read(`${ready.path.slice(0, -1)}-consents/${ready.consentId}`);
    const used = kind.shape.use === "once" ? "COND" : "AUTH";
    if (version === "pisp-v4.0") assert.equal(consent.Status, used);
    await bank.engine.drain();
    assert.equal(reserved.has(orderId), false);
    assert.deepEqual(await loadFunds(bank, single), before);
    assert.deepEqual(await breaches(), []);
  });
}

/** Whether an order for a later day has a fixed rate, for which funds are reserved at once. */
const isFundedAtOnce = ({ Initiation }: Record<string, unknown>) => {
  const { ExchangeRateInformation: rate, RequestedExecutionDateTime: date } = Initiation as {
    ExchangeRateInformation?: { RateType: string };
    RequestedExecutionDateTime?: string;
  };
  return rate?.RateType === "Actual" && date !== undefined;
};

test("an order that the core wants later waits until then, in every kind and version; funds that were promised at once are reserved at once", async () => {
  const from = bank.clock
    .now()
    .add({ hours: 24 * 40 })
    .round("second");
  answer = () => ({ result: "later", until: from, reason });
  const waiting: (Made & (typeof served)[number])[] = [];
  for (const { kind, version } of served) {
    const made = await submit(kind, await approved(kind, version));
    assert.equal(made.data.Status, exposeStatus(formatIn(kind, version).statuses, "PDNG"), kind.id);
    if (version === "pisp-v4.0") assert.deepEqual(reasonsOf(made.data), [reason], kind.id);
    if (kind.givesExpectedDates) {
      const expected = Temporal.Instant.from(String(made.data.ExpectedExecutionDateTime));
      assert.ok(Temporal.Instant.compare(expected, from) >= 0, kind.id);
    }
    waiting.push({ ...made, kind, version });
  }
  await bank.advance("P39D");
  for (const { orderId, path, data, kind } of waiting) {
    assert.equal(reserved.has(orderId), isFundedAtOnce(data), kind.id);
    assert.equal(executed.has(orderId), false, kind.id);
    const { Status: status } = await read(path);
    if (!isFundedAtOnce(data)) assert.equal(status, data.Status, kind.id);
  }
  assert.deepEqual(await breaches(), []);
  await bank.advance("P4D");
  for (const { orderId, path, data, kind, version } of waiting) {
    const at = present(executed.get(orderId), kind.id);
    assert.ok(Temporal.Instant.compare(at, from) >= 0, kind.id);
    const paid = await firstPayment(path);
    const { details } = formatIn(kind, version).statuses;
    assert.ok(details.length > 0);
    // v3.1 shows an order for a later day as completed from its beginning to its end
    const isForLater = ["scheduled", "standingOrder"].includes(kind.family);
    const isSetUp = version === "pisp-v3.1" && isForLater;
    assert.equal((await read(path)).Status === data.Status, isSetUp, kind.id);
    assert.equal(paid.StatusDetail?.StatusReason ?? null, null, kind.id);
  }
  assert.deepEqual(await breaches(), []);
});

const payment = kindNamed("domestic-payment", paymentKinds);

test("the core hears the order and its consent as they were sent, its TPP and who approved it", async () => {
  answer = () => ({ result: "allow" });
  for (const { kind, version } of served) {
    const ready = await approved(kind, version);
    asked = [];
    const { orderId } = await submit(kind, ready);
    const [order, ...others] = asked;
    assert.deepEqual(others, []);
    const { sent, use, context, file, ...ids } = order ?? assert.fail("the core was asked");
    assert.deepEqual(consents.get(ready.consentId)?.file, file);
    if (kind.id !== "file-payment") assert.equal(file, null);
    assert.deepEqual(sent.devices?.consent?.ipAddress, heardAt);
    assert.deepEqual(sent.devices.order, null);
    const about = { kind: kind.id, debtorAccountId: single, customerId: ids.customerId };
    assert.deepEqual(ids, { orderId, consentId: ready.consentId, ...about });
    assert.equal(sent.apiVersion, version);
    assert.deepEqual(sent.consent.Data, ready.consent.Data);
    assert.equal(sent.order !== null, kind.shape.use === "within limits");
    assert.equal(use?.type, ready.order.Data.VRPType);
    assert.equal(context?.tpp.clientId, client.tpp.clientId);
    assert.ok(context.tpp.organisationName && context.tpp.softwareName);
    const [approval, ...more] = context.approvedBy;
    assert.deepEqual(more, []);
    assert.equal(approval?.customerId, ids.customerId);
    assert.deepEqual(approval?.authentication?.amr, ["pwd", "otp", "mfa"]);
  }
});

test("of a file, the core hears how many payments it has, and their total in each currency", async () => {
  answer = () => ({ result: "allow" });
  const kind = kindNamed("file-payment", paymentKinds);
  const ready = await approved(kind, "pisp-v4.0");
  asked = [];
  await submit(kind, ready);
  const { NumberOfTransactions, ControlSum } = ready.consent.Data.Initiation as {
    NumberOfTransactions: string;
    ControlSum: number;
  };
  const count = Number(NumberOfTransactions);
  const total = { amountMinor: BigInt(Math.round(ControlSum * 100)), currency: "GBP" };
  assert.ok(count > 0);
  assert.deepEqual(asked[0]?.file, { count, totals: [{ count, total }] });
  assert.deepEqual(consents.get(ready.consentId)?.file, asked[0]?.file);
});

test("a core without `readsContext` is asked without the TPP and the approval", async () => {
  answer = () => ({ result: "allow" });
  core.readsContext = false;
  await submit(payment, await approved(payment, "pisp-v4.0"));
  const [order] = asked;
  assert.ok(order && !("context" in order));
});

test("P-047: the core is not asked about a request that is repeated", async () => {
  answer = () => ({ result: "allow" });
  const ready = await approved(payment, "pisp-v4.0");
  const call = { ...ready, idempotencyKey: "asked-once" };
  const first = await client.call<Resource>(call);
  const again = await client.call<Resource>(call);
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(first.body.Data.DomesticPaymentId, again.body.Data.DomesticPaymentId);
  assert.equal(asked.length, 1);
});

test("the core is not asked about an order that fails its checks", async () => {
  const ready = await approved(payment, "pisp-v4.0");
  const { Data, ...rest } = ready.order;
  const Initiation = {
    ...Data.Initiation,
    InstructedAmount: { Amount: "999.99", Currency: "GBP" },
  };
  const body = { ...rest, Data: { ...Data, ConsentId: ready.consentId, Initiation } };
  expectStatus(await client.call({ ...ready, body }), 400);
  assert.deepEqual(asked, []);
});

test("a time that has come is no reason to wait", async () => {
  answer = () => ({ result: "later", until: bank.clock.now().subtract({ seconds: 1 }), reason });
  const { path, data } = await submit(payment, await approved(payment, "pisp-v4.0"));
  assert.equal(data.Status, "RCVD");
  await until(
    async () => (await read(path)).Status,
    (status) => status === "ACCC",
  );
});

test("the customer sees a payment that waits for the core's time, and cannot cancel it", async () => {
  const from = bank.clock
    .now()
    .add({ hours: 24 * 60 })
    .round("second");
  answer = () => ({ result: "later", until: from, reason });
  const { orderId } = await submit(payment, await approved(payment, "pisp-v4.0"));
  const path = "/customers/amara/payments";
  const { payments } = await bank.control<{ payments: Listed[] }>("GET", path);
  const listed = payments.find((one) => one.orderId === orderId);
  assert.deepEqual(
    [listed?.state, listed?.executeAt, listed?.canAct],
    ["Upcoming", from.toString(), false],
  );
  const cancel = bank.control("POST", `${path}/${orderId}/cancellation`, {});
  await assert.rejects(cancel, /no order with that id that can be cancelled/);
  const { shown } = await logIn(bank, "amara");
  assert.match(shown.body, /You approved this for immediate payment/);
});

test("P-169: an order that two must sign waits for both, and then for its time", async () => {
  const from = bank.clock.now().add({ hours: 2 });
  answer = () => ({ result: "later", until: from, reason });
  const ready = await approved(payment, "pisp-v4.0", { customer: "dev", account: joint });
  const { path, data, orderId } = await submit(payment, ready);
  assert.equal(data.Status, "PATC");
  await bank.control("POST", `/multi-authorisations/${orderId}`, { decision: "approve" });
  await bank.engine.drain();
  assert.equal(reserved.has(orderId), false);
  await bank.advance("PT3H");
  await until(
    async () => (await read(path)).Status,
    (status) => status === "ACCC",
  );
});

test("P-165: nobody is asked to sign an order that the core has refused", async () => {
  answer = () => ({ result: "refuse", reason });
  const ready = await approved(payment, "pisp-v4.0", { customer: "dev", account: joint });
  const { data, orderId } = await submit(payment, ready);
  assert.equal(data.Status, "RJCT");
  assert.equal(data.MultiAuthorisation, undefined);
  const sign = bank.control("POST", `/multi-authorisations/${orderId}`, { decision: "approve" });
  await assert.rejects(sign, /refused/);
});

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { allowance } from "#test/payments/allowance/allowance.ts";
import { batch } from "#test/payments/batch/batch.ts";
import { paymentsOf, readOrdersOf } from "#test/payments/stored-orders.ts";
import { postingsOf } from "#test/sandbox/stored-ledger.ts";
import { until } from "#test/until.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { lodgeAccess, quickPayee, type Resource } from "./payments.ts";

// The kind that test/payments/adding-a-kind.test.ts adds, in the real server. Its consents pay many
// times, up to £5 each and £12 per month, and it is served in two versions. The last test is about
// the kind of test/payments/adding-a-shape.test.ts, whose orders list several payments.

const v31 = "/v3.1/pisp/x-allowance";
const v40 = "/v4.0/pisp/x-allowance";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
let accountId: string;
openBefore(
  async (bed) => {
    ({ bank, customers, client } = bed);
    accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
    // the limits are per calendar month, so no test may run across the end of a month
    const next = bank.clock.now().toZonedDateTimeISO("UTC").add({ months: 1 }).with({ day: 1 });
    await bank.control("PUT", "/clock", { now: next.toInstant().toString() });
  },
  () => openBank({}, undefined, [...paymentKinds, allowance, batch]),
);

type Consented = { consentId: string; Initiation: object };

/** Creates a consent to pay an account, with the text in the format of the version. */
async function lodge(base: string, payee: object = quickPayee): Promise<Consented> {
  const text = base === v31 ? "Pocket money" : ["Pocket money"];
  const Initiation = { CreditorAccount: payee, RemittanceInformation: { Unstructured: text } };
  const lodged = await client.call<Resource>({
    path: `${base}-consents`,
    token: await client.clientToken("payments"),
    body: {
      Data: {
        ControlParameters: {
          MaximumIndividualAmount: { Amount: "5.00", Currency: "GBP" },
          PeriodicLimits: [
            { PeriodType: "Month", PeriodAlignment: "Calendar", Amount: "12.00", Currency: "GBP" },
          ],
        },
        Initiation,
      },
      Risk: {},
    },
  });
  expectStatus(lodged, 201);
  return { consentId: String(lodged.body.Data.ConsentId), Initiation };
}

const approve = (consentId: string): Promise<Tokens> =>
  bank.approve(client, { scope: "payments", consentId, customer: "amara", accounts: [accountId] });

/** Submits an order on a version. Returns the response, whatever its status. */
function pay(base: string, { consentId, Initiation }: Consented, token: string, amount: string) {
  const { CreditorAccount } = Initiation as { CreditorAccount: object };
  const text = base === v31 ? "Pocket money" : ["Pocket money"];
  return client.call<Resource & { Errors?: { ErrorCode: string; Path: string }[] }>({
    path: `${base}s`,
    token,
    idempotencyKey: randomUUID(),
    body: {
      Data: {
        ConsentId: consentId,
        // each version repeats the consent in its own format
        Initiation: { CreditorAccount, RemittanceInformation: { Unstructured: text } },
        Instruction: {
          InstructionIdentification: "i1",
          EndToEndIdentification: "e1",
          InstructedAmount: { Amount: amount, Currency: "GBP" },
          CreditorAccount,
        },
      },
      Risk: {},
    },
  });
}

async function order(...given: Parameters<typeof pay>): Promise<string> {
  const made = await pay(...given);
  expectStatus(made, 201);
  return String(made.body.Data.AllowanceId);
}

async function refusal(...given: Parameters<typeof pay>): Promise<(string | undefined)[]> {
  const { status, body } = await pay(...given);
  return [String(status), body.Errors?.[0]?.ErrorCode, body.Errors?.[0]?.Path];
}

async function read(path: string): Promise<Record<string, unknown>> {
  const token = await client.clientToken("payments");
  const answer = await client.call<Resource>({ path, token });
  expectStatus(answer, 200);
  assert.ok(await client.verifySignature(answer));
  return answer.body.Data;
}

const untilSettled = (path: string) =>
  until(
    () => read(path),
    ({ Status }) => ["ACCC", "RJCT"].includes(String(Status)),
  );

const isSound = async () =>
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });

test("the customer reviews the limits and approves, and the consent pays until its limit", async () => {
  const consented = await lodge(v40);
  const { consentId } = consented;
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await customer.login("amara");
  const confirmed = await customer.text();
  for (const words of ["Allow payments", "Up to £5.00 at a time", "Up to £12.00"]) {
    assert.ok(confirmed.includes(words), `${words} in ${confirmed}`);
  }
  await customer.factor();
  await customer.mark(accountId);
  const shown = await customer.text();
  for (const words of [
    "Let Test TPP make payments?",
    "Choose the account to pay from",
    "asks you to let it make payments within these limits",
    "without asking you again",
    "Allow payments",
    "Up to £5.00 at a time",
    "Each month",
    "Up to £12.00",
    quickPayee.Name,
    "00-99-00 00000001",
  ]) {
    assert.ok(shown.includes(words), `${words} in ${shown}`);
  }
  await customer.press("approve");
  const tokens = await client.exchangeCode((await customer.comeBack()).url);
  await customer.leave();

  const before = await bank.bank.loadFunds([accountId]);
  const first = await order(v40, consented, tokens.access_token, "5.00");
  // the access token expires before the consent does
  const renewed = await client.refresh(present(tokens.refresh_token, "a refresh token"));
  const second = await order(v40, consented, renewed.access_token, "4.50");
  assert.deepEqual(await refusal(v40, consented, renewed.access_token, "5.01"), [
    "400",
    "U014",
    "Data.ControlParameters.MaximumIndividualAmount",
  ]);
  assert.deepEqual(await refusal(v40, consented, renewed.access_token, "2.51"), [
    "400",
    "U014",
    "Data.ControlParameters.PeriodicLimits[0]",
  ]);
  for (const id of [first, second]) {
    assert.equal((await untilSettled(`${v40}s/${id}`)).Status, "ACCC");
    const details = await read(`${v40}s/${id}/payment-details`);
    assert.equal((details.PaymentStatus as { Status: string }[])[0]?.Status, "ACCC");
  }
  assert.equal((await read(`${v40}-consents/${consentId}`)).Status, "AUTH");
  const funds = await bank.bank.loadFunds([accountId]);
  const booked = (of: typeof funds) => present(of.get(accountId), "the account").bookedMinor;
  assert.equal(booked(before) - booked(funds), 950n);
  await isSound();
});

test("a consent of the earlier version pays on both versions, and both show its orders", async () => {
  const consented = await lodge(v31);
  const { access_token: token } = await approve(consented.consentId);
  const older = await order(v31, consented, token, "1.00");
  const newer = await order(v40, consented, token, "2.00");
  for (const base of [v31, v40]) {
    const { Status, Initiation } = await untilSettled(`${base}s/${older}`);
    const text = base === v31 ? "Pocket money" : ["Pocket money"];
    assert.equal(Status, "ACCC");
    assert.deepEqual(
      (Initiation as { RemittanceInformation: object }).RemittanceInformation,
      { Unstructured: text },
      base,
    );
    assert.equal((await read(`${base}-consents/${consented.consentId}`)).Status, "AUTH");
  }
  assert.equal((await untilSettled(`${v40}s/${newer}`)).Status, "ACCC");
  const onOlder = await client.call({
    path: `${v31}s/${newer}`,
    token: await client.clientToken("payments"),
  });
  assert.equal(onOlder.status, 400);

  const access = await bank.approve(client, {
    scope: "accounts",
    consentId: await lodgeAccess(client),
    customer: "amara",
  });
  const page = await client.call<{ Data: { Transaction: { Amount: { Amount: string } }[] } }>({
    path: `/v3.1/aisp/accounts/${accountId}/transactions`,
    token: access.access_token,
  });
  const amounts = page.body.Data.Transaction.slice(0, 2).map(({ Amount }) => Amount.Amount);
  assert.deepEqual(amounts.sort(), ["1.00", "2.00"]);
});

test("an order that a dying engine has claimed is paid once, and counts once", async () => {
  const consented = await lodge(v40);
  const { access_token: token } = await approve(consented.consentId);
  await bank.engine.stop();
  const id = await order(v40, consented, token, "5.00");
  for (const moment of ["claimed", "reserved", "executed"] as const) {
    const dying = createEngine({
      ...bank,
      owner: `dies-when-${moment}`,
      log: { error: () => undefined },
      batchSize: 8,
      leaseSeconds: 0,
      consentLifetimeSeconds: 3600,
      onStep(step) {
        if (step === moment) throw new Error("the process dies");
      },
    });
    await dying.tick().catch(() => undefined);
  }
  const [claimed] = await readOrdersOf(bank.database, { orderId: id });
  assert.match(String(claimed?.leaseOwner), /^dies-when-/);
  // a claimed order counts towards the limit before it is settled
  await order(v40, consented, token, "5.00");
  assert.equal((await refusal(v40, consented, token, "2.01"))[1], "U014");
  bank.engine.start(50);
  assert.equal((await untilSettled(`${v40}s/${id}`)).Status, "ACCC");
  const moved = await postingsOf(bank.database, await paymentsOf(bank.database, id));
  assert.equal(moved.filter(({ from }) => from === accountId).length, 1);
  await order(v40, consented, token, "2.00");
  await isSound();
});

test("the home page, the reference and the documents list the kind on both versions", async () => {
  const get = async (path: string) => (await fetch(bank.publicUrl + path)).text();
  assert.match(await get("/"), /Payment Initiation 3\.1\.11/);
  for (const version of ["pisp-v3.1", "pisp-v4.0"]) {
    const { paths } = JSON.parse(await get(`/openapi/${version}.json`));
    assert.ok("/x-allowances/{AllowanceId}" in paths, version);
    const reference = await get(`/docs/api/${version}/allowances`);
    assert.ok(reference.includes(` id="CreateXAllowances"`), version);
    assert.match(reference, /&quot;Unstructured&quot;: (?:\[\s+)?&quot;Pocket money&quot;/);
  }
});

test("the customer approves a batch, and the engine makes its payments", async () => {
  const demo = batch.examples["pisp-v4.0"].demo(quickPayee, bank.clock.now());
  const lodged = await client.call<Resource>({
    path: "/v4.0/pisp/x-batch-consents",
    token: await client.clientToken("payments"),
    body: demo.consent,
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await customer.login("amara");
  await customer.factor();
  await customer.mark(accountId);
  const shown = await customer.text();
  for (const words of ["£22.50", "2 payees", "£10.00 to 00-99-00 00000001"]) {
    assert.ok(shown.includes(words), `${words} in ${shown}`);
  }
  await customer.press("approve");
  const tokens = await client.exchangeCode((await customer.comeBack()).url);
  await customer.leave();
  const made = await client.call<Resource>({
    path: "/v4.0/pisp/x-batchs",
    token: tokens.access_token,
    idempotencyKey: randomUUID(),
    body: { ...demo.order, Data: { ...demo.order.Data, ConsentId: consentId } },
  });
  expectStatus(made, 201);
  const path = `/v4.0/pisp/x-batchs/${made.body.Data.BatchId}`;
  await until(
    () => read(path),
    ({ Status }) => Status === "INCO",
  );
  const details = await read(`${path}/payment-details`);
  const statuses = (details.PaymentStatus as { Status: string }[]).map(({ Status }) => Status);
  assert.deepEqual(statuses, ["ACCC", "ACCC"]);
  await isSound();
});

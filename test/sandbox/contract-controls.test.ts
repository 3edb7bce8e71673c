import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { ShownContract } from "#src/payments/limits/contract-operations.ts";
import type { MeteredPayment } from "#src/payments/limits/metering.ts";
import { AuthorizationError, type TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { riskIndicators } from "#src/standard/shared/vrp-types.ts";
import { addEndedCopies } from "#test/consents/add-consents.ts";
import { openSet, poll, subscribe, urnOf } from "#test/events/events-bed.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { type Customers, openCustomers } from "#test/journeys/customer.ts";
import { picture } from "#test/journeys/page-bed.ts";
import { quickPayee } from "#test/journeys/payments.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limit, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { until } from "#test/until.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";

// Contracts in the sandbox, and the payments under them through the real pages and the engine.

const stem = "/v4.0/pisp/domestic-vrp";
const type = "UK.OBIE.VRPType.CVRP1";
const contract = {
  contractId: "energy-1",
  types: [type],
  purpose: "bills",
  payeePerPayment: true,
};

let bank: TestBank;
let customers: Customers;
let call: Caller;
let accountId: string;
before(async () => {
  [bank, customers] = await Promise.all([openBank(), openCustomers()]);
  call = callerOf(bank);
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
});
after(async () => {
  await customers?.close();
  await bank?.close();
});

const { contractId, ...terms } = contract;
const pathOf = ({ tpp }: TppClient) => `/tpps/${tpp.clientId}/vrp-contracts/${contractId}`;

/** Creates a TPP with the contract. */
async function createTpp(): Promise<TppClient> {
  const client = await bank.createTpp({ redirectUris: [customers.redirectUri] });
  assert.deepEqual(await bank.control("PUT", pathOf(client), terms), { contractId });
  return client;
}

const contractsOf = async (clientId: string): Promise<ShownContract[]> => {
  const answer = await bank.control<{ contracts: ShownContract[] }>("GET", "/vrp-contracts");
  return answer.contracts.filter((one) => one.clientId === clientId);
};

/** Lodges a consent that names no payee. */
async function lodge(client: TppClient): Promise<{ consentId: string; body: Json }> {
  const body = vrpConsent(({ Data }) => {
    Data.ControlParameters.VRPType = [type];
    Data.ControlParameters.PSUInteractionTypes = ["OffSession"];
    Data.ControlParameters.PeriodicLimits = [limit("Month", "Consent", "12.00")];
    Data.Initiation = {};
  });
  const token = await client.clientToken("payments");
  const answer = await client.call<Json>({ path: `${stem}-consents`, token, body });
  expectStatus(answer, 201);
  return { consentId: answer.body.Data.ConsentId, body };
}

test("B-180: a TPP gets a contract with its registration in the sandbox, and the list shows it", async () => {
  const request = {
    name: "Energy TPP",
    roles: ["PISP"],
    redirectUris: [customers.redirectUri],
    vrpContracts: [contract],
  };
  const { clientId } = await bank.control<{ clientId: string }>("POST", "/tpps", request);
  const [listed, ...more] = await contractsOf(clientId);
  assert.deepEqual(more, []);
  assert.deepEqual(listed, {
    clientId,
    clientName: "Energy TPP",
    ...contract,
    from: bank.clock.now().toZonedDateTimeISO("Europe/London").toPlainDate().toString(),
    until: null,
    tppAuthenticates: false,
    maximumMinor: null,
    consents: 0,
    without: Object.fromEntries(riskIndicators.map((name) => [name, 0])),
  });
});

test("V-102, B-183, B-187: the customer approves payments to any payee, sees each payee, and the payment is in the metering", async () => {
  const client = await createTpp();
  const { consentId, body } = await lodge(client);
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await customer.goToApproval("amara", accountId);
  const texts = ["Paying bills", "Named with each payment", "Any UK account"];
  const review = await customer.text();
  for (const text of [...texts, "It may pay any UK account."]) {
    assert.ok(review.includes(text), `${text} in ${review}`);
  }
  await picture(customer, "vrp-any-payee-review");
  await customer.press("approve");
  const tokens = await client.exchangeCode((await customer.comeBack()).url);
  await customer.leave();

  const order = vrpOrder(consentId, body, "4.00");
  order.Data.VRPType = type;
  order.Data.Instruction.CreditorAccount = quickPayee;
  const paid = await client.call<Json>({
    path: `${stem}s`,
    token: tokens.access_token,
    body: order,
  });
  expectStatus(paid, 201);
  const orderId: string = paid.body.Data.DomesticVRPId;
  const token = await client.clientToken("payments");
  await until(
    async () => (await client.call<Json>({ path: `${stem}s/${orderId}`, token })).body.Data,
    ({ Status }) => Status === "ACCC",
  );

  const own = await customers.enterBank(bank, "amara");
  const overview = await own.text();
  assert.ok(overview.includes("Payee: Named with each payment"), overview);
  await picture(own, "vrp-any-payee-overview");
  await own.open(`${bank.publicUrl}/bank/permissions/${consentId}`);
  const shown = await own.text();
  for (const text of [...texts, quickPayee.Name, "£4.00", "Paid", "£4.00 of £12.00"]) {
    assert.ok(shown.includes(text), `${text} in ${shown}`);
  }
  await picture(own, "vrp-any-payee-own");
  await own.leave();

  const date = bank.clock.now().toZonedDateTimeISO("Europe/London").toPlainDate();
  const period = { from: date.subtract({ days: 1 }).toString(), until: date.toString() };
  const { payments } = await bank.control<{ payments: MeteredPayment[] }>(
    "POST",
    "/vrp-metering",
    period,
  );
  const metered = present(
    payments.find((payment) => payment.orderId === orderId),
    "the payment",
  );
  assert.deepEqual(metered, {
    clientId: client.tpp.clientId,
    contractId,
    consentId,
    orderId,
    type,
    amount: "4.00",
    currency: "GBP",
    date: date.toString(),
    status: "ACCC",
    statusSince: metered.statusSince,
    outcome: "paid",
  });
  const [listed] = await contractsOf(client.tpp.clientId);
  assert.deepEqual([listed?.consents, listed?.without.PaymentPurposeCode], [1, 1]);
});

test("V-196: the withdrawal of a contract can end its consents, which causes events, and no customer can authorise them again", async () => {
  const client = await createTpp();
  const path = pathOf(client);
  await subscribe(client, {});
  const { consentId } = await lodge(client);
  const approved = {
    scope: "payments" as const,
    consentId,
    customer: "amara",
    accounts: [accountId],
  };
  await bank.approve(client, approved);
  const withdrawn = await bank.control("POST", `${path}/withdrawal`, { endsConsents: true });
  assert.deepEqual(withdrawn, { cancelled: 1 });
  assert.deepEqual(await contractsOf(client.tpp.clientId), []);
  const { sets } = await poll(client);
  const { events } = await openSet(client, present(Object.values(sets)[0], "the event"));
  assert.ok(urnOf("consent-authorization-revoked") in events);
  await assert.rejects(bank.approve(client, approved), AuthorizationError);
  const token = await client.clientToken("payments");
  const { body } = await client.call<Json>({ path: `${stem}-consents/${consentId}`, token });
  assert.equal(body.Data.Status, "CANC");
  const own = await customers.enterBank(bank, "amara");
  assert.match(await own.text(), /Stopped by us/);
  await own.leave();
});

test("the bank's own pages list twenty permissions per page, active ones first", async () => {
  const client = await createTpp();
  const { consentId } = await lodge(client);
  await bank.approve(client, {
    scope: "payments",
    consentId,
    customer: "amara",
    accounts: [accountId],
  });
  await addEndedCopies(bank.database, consentId, 30);
  const own = await customers.enterBank(bank, "amara");
  const listed = async () => {
    const links = await own.page.locator('a[href^="/bank/permissions/"]').all();
    return Promise.all(links.map(async (link) => (await link.getAttribute("href")) ?? ""));
  };
  const first = await listed();
  assert.equal(first.length, 20);
  assert.equal(first[0], `/bank/permissions/${consentId}`);
  await own.follow(own.page.getByRole("link", { name: "Show more" }));
  assert.match(await own.text(), /Open Banking payments/);
  const second = await listed();
  await own.leave();
  const copies = [...first, ...second].filter((href) => href.includes(consentId));
  assert.equal(new Set(copies).size, 31);
});

test("CV-20: the sandbox sets a TPP's status in the scheme, which holds at the next request", async () => {
  const client = await createTpp();
  await lodge(client);
  const path = `/tpps/${client.tpp.clientId}/scheme-status`;
  const suspended = { status: "Suspended" };
  assert.deepEqual(await bank.control("PUT", path, suspended), suspended);
  await assert.rejects(
    lodge(client),
    /is Suspended, so you cannot use UK\.OBIE\.VRPType\.CVRP1\. Ask the scheme about your status\./,
  );
  await bank.control("PUT", path, { status: null });
  await lodge(client);
  await expectRefusal(await call("PUT", path, { status: "Gone" }), 400);
  await expectRefusal(await call("PUT", "/tpps/nobody/scheme-status", suspended), 404);
});

test("the sandbox refuses a contract with wrong terms, and one of an unknown TPP", async () => {
  const client = await bank.createTpp();
  const path = pathOf(client);
  const refusals: [string, object, number, RegExp][] = [
    [path, { ...terms, types: ["UK.OBIE.VRPType.Sweeping"] }, 400, /not valid/],
    [path, { ...terms, purpose: "fun" }, 400, /not valid/],
    [path, { ...terms, from: "2027-13-01" }, 400, /not valid/],
    [path, { ...terms, from: "2027-02-02", until: "2027-02-01" }, 400, /must not be before/],
    [path.replace("energy-1", "energy%201"), terms, 400, /1 to 40 letters/],
    ["/tpps/nobody/vrp-contracts/energy-1", terms, 404, /no TPP/],
  ];
  for (const [to, body, status, message] of refusals) {
    const refusal = await expectRefusal(await call("PUT", to, body), status);
    assert.match(refusal.message, message);
  }
  const gone = await expectRefusal(await call("POST", `${path}/withdrawal`, {}), 404);
  assert.match(gone.message, /no such contract/);
});

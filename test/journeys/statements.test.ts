import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { picture } from "./page-bed.ts";
import { lodgeAccess, lodge as lodgePayment, order, untilStatus } from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
let accountId: string;

openBefore(async (bed) => {
  ({ bank, customers, client } = bed);
  accountId = (await bank.currentAccounts("amara"))[0]?.accountId ?? "";
});

const asked = {
  Permissions: [
    "ReadAccountsDetail",
    "ReadTransactionsDetail",
    "ReadTransactionsCredits",
    "ReadTransactionsDebits",
    "ReadStatementsDetail",
    "ReadProducts",
    "ReadOffers",
    "ReadParty",
    "ReadPartyPSU",
  ],
};

// Source: customer experience guidelines, Data Cluster Structure & Language
const prescribed = [
  "Your Statements",
  "Details of information contained in your statement",
  "Your Account Features and Benefits",
  "Product details - fees, charges, interest, benefits/rewards",
  "Offers available on your account",
  "Contact and party details",
  "The full legal name(s) of account holder(s). Address(es), telephone number(s) and email",
  "Your full legal name, address, telephone number and email address",
];

test("the consent page lists the requested data in the prescribed words", async () => {
  const customer = await customers.arrive();
  const consentId = await lodgeAccess(client, asked);
  await customer.open(await client.authorizationUrl({ scope: "accounts", consentId }));
  await customer.goToApproval("amara", accountId);
  const text = await customer.text();
  for (const words of prescribed) assert.ok(text.includes(words), words);
  await picture(customer, "access-approval");
  await customer.press("approve");
  const { url } = await customer.comeBack();
  const { access_token: token } = await client.exchangeCode(url);
  for (const path of ["product", "offers", "party", "parties", "statements", "transactions"]) {
    expectStatus(await read(`/accounts/${accountId}/${path}`, token), 200);
  }
  for (const path of ["/products", "/offers", "/party", "/statements"]) {
    expectStatus(await read(path, token), 200);
  }
  await customer.leave();
});

test("after the end of a month its statement has every transaction of the month", async () => {
  const lodged = await lodgePayment(client, { amount: "12.34" });
  const accounts = [accountId];
  const grant = { consentId: lodged.consentId, customer: "amara", accounts };
  const paying = await bank.approve(client, { scope: "payments", ...grant });
  const orderId = await order(client, lodged, paying.access_token);
  await untilStatus(client, "domestic-payment", orderId, "ACSC", "ACCC");
  const before = await statements();
  const month = bank.clock.now().toString().slice(0, 7);
  assert.ok(before.every(({ StartDateTime }) => !StartDateTime.startsWith(month)));

  const next = bank.clock.now().toZonedDateTimeISO("UTC").with({ day: 1 }).add({ months: 1 });
  const hours = Math.ceil(bank.clock.now().until(next.toInstant()).total("hours")) + 24;
  await bank.advance(`PT${hours}H`);
  await bank.advance("PT1M");
  const afterwards = await statements();
  const [newest, ...others] = afterwards.filter(({ StartDateTime }) => StartDateTime >= month);
  assert.ok(newest);
  assert.ok(newest.StartDateTime.startsWith(month));
  assert.deepEqual(others, []);

  const { access_token: token } = await grantAccess();
  const path = `/accounts/${accountId}/statements/${newest.StatementId}`;
  const lines: { TransactionReference?: string; Status: string; Amount: { Amount: string } }[] = [];
  for (let page: string | undefined = `${path}/transactions`; page; ) {
    const answer: Answer<Lines> = await read(page, token);
    expectStatus(answer, 200);
    lines.push(...answer.body.Data.Transaction);
    page = answer.body.Links.Next;
  }
  assert.ok(lines.every(({ Status }) => Status === "Booked"));
  assert.equal(lines.filter(({ Amount }) => Amount.Amount === "12.34").length, 1);
  const file = await client.call({
    path: `/v3.1/aisp${path}/file`,
    token,
    headers: { accept: "text/csv" },
  });
  expectStatus(file, 200);
  assert.equal(String(file.body).split("\r\n").length - 4, lines.length);
  assert.deepEqual(await verifyInvariants(bank.database), []);
});

type Lines = {
  Data: {
    Transaction: { TransactionReference?: string; Status: string; Amount: { Amount: string } }[];
  };
  Links: { Next?: string };
};
type Statements = {
  Data: { Statement: { StatementId: string; StartDateTime: string }[] };
  Links: { Next?: string };
};

const read = <Body>(path: string, token: string): Promise<Answer<Body>> =>
  client.call<Body>({ path: path.startsWith("http") ? path : `/v3.1/aisp${path}`, token });

async function grantAccess() {
  const consentId = await lodgeAccess(client, asked);
  const accounts = [accountId];
  return bank.approve(client, { scope: "accounts", consentId, customer: "amara", accounts });
}

async function statements(): Promise<Statements["Data"]["Statement"]> {
  const { access_token: token } = await grantAccess();
  const found: Statements["Data"]["Statement"] = [];
  for (let page: string | undefined = `/accounts/${accountId}/statements`; page; ) {
    const answer: Answer<Statements> = await read(page, token);
    expectStatus(answer, 200);
    found.push(...answer.body.Data.Statement);
    page = answer.body.Links.Next;
  }
  return found;
}

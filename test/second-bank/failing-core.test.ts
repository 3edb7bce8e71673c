import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import {
  lodge,
  lodgeAccess,
  order,
  quickPayee,
  readConsent,
  readOrder,
  submit,
  untilStatus,
} from "#test/journeys/payments.ts";
import { countInStatus, leaseSeconds } from "#test/payments/stored-orders.ts";
import { patienceMs, until } from "#test/until.ts";
import {
  approved,
  debitsOf,
  openOver,
  readyToPay,
  type SecondBank,
  startSecondBank,
} from "./second-bank.ts";

const kind = "domestic-payment";
let second: SecondBank;
let bank: TestBank;
let client: TppClient;
let isClosed = false;

before(async () => {
  second = await startSecondBank(20261122);
  bank = await openOver(second, {
    BANK_IDENTIFY_DEADLINE_MS: 2000,
    BANK_READ_DEADLINE_MS: 2000,
    BANK_QUOTE_DEADLINE_MS: 2000,
    BANK_EXECUTE_DEADLINE_MS: 1000,
    PAYMENT_LEASE_SECONDS: 3,
    BANK_BREAKER_RETRY_MS: 500,
    SHUTDOWN_SECONDS: 1,
  });
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});
afterEach(async () => {
  await second.fail();
  // waits until the circuit lets calls through again
  const reads = async () => (await fetch(`${bank.publicUrl}/sandbox/v1/customers`)).status;
  if (!isClosed) await until(reads, (status) => status === 200);
});

/** Orders payments that customers have approved. Returns their ids. */
async function orderAll(amounts: readonly string[]): Promise<string[]> {
  const ready = [];
  for (const amount of amounts) ready.push(await approved(bank, client, amount));
  return Promise.all(ready.map(({ lodged, token }) => order(client, lodged, token)));
}

const debitedMinor = async (): Promise<bigint[]> =>
  debitsOf(await second.books(), "second-current").map(({ amountMinor }) => -amountMinor);

test("with the core down an order is 201, the order and its consent can be read, and it is paid later", async () => {
  const { lodged, token } = await approved(bank, client, "20.01");
  const unused = await approved(bank, client, "20.02");
  await second.fail({ call: "*", how: "fail" });
  const id = await order(client, lodged, token);
  assert.equal((await readOrder(client, kind, id)).Status, "RCVD");
  const used = await readConsent(client, `${kind}-consents`, lodged.consentId);
  assert.equal(used.status, "COND");
  const authorised = await readConsent(client, `${kind}-consents`, unused.lodged.consentId);
  assert.equal(authorised.status, "AUTH");
  await second.fail();
  await untilStatus(client, kind, id, "ACCC");
  assert.ok((await debitedMinor()).includes(2001n));
});

test("an order shows the debtor as the customer approved, without a call to the core", async () => {
  const lodged = await lodge(client, { amount: "20.03", data: { ReadRefundAccount: "Yes" } });
  const { token } = await readyToPay(bank, client, lodged);
  await second.fail({ call: "loadAccount", how: "fail" }, { call: "listAccounts", how: "fail" });
  const answer = await submit(client, lodged, token);
  expectStatus(answer, 201);
  assert.deepEqual(answer.body.Data.Debtor, {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "60837110000001",
    Name: "Ada Quill",
  });
});

test("a payment on which the core always fails does not stop the other payments", async () => {
  await second.fail({ call: "reserve", how: "fail", amountMinor: "6666" });
  const ids = await orderAll(["66.66", "30.01", "30.02", "30.03"]);
  const [poisoned = "", ...good] = ids;
  for (const id of good) await untilStatus(client, kind, id, "ACCC");
  assert.equal((await readOrder(client, kind, poisoned)).Status, "RCVD");
  await second.fail();
  await untilStatus(client, kind, poisoned, "ACCC");
});

test("a payment on which the core hangs does not stop the other payments", async () => {
  await second.fail({ call: "execute", how: "hang", amountMinor: "7777" });
  const [hanging = "", ...good] = await orderAll(["77.77", "40.01", "40.02"]);
  for (const id of good) await untilStatus(client, kind, id, "ACCC");
  assert.notEqual((await readOrder(client, kind, hanging)).Status, "ACCC");
  await second.fail();
  await untilStatus(client, kind, hanging, "ACCC");
  assert.equal((await debitedMinor()).filter((minor) => minor === 7777n).length, 1);
});

test("while the core works on a payment, its lease lasts at most PAYMENT_LEASE_SECONDS", async () => {
  const { lodged, token } = await approved(bank, client, "77.78");
  await second.fail({ call: "reserve", how: "hang", amountMinor: "7778" });
  const id = await order(client, lodged, token);
  const readLease = () => leaseSeconds(bank.database, id);
  const seconds = await until(readLease, (left) => left !== null);
  assert.ok(seconds !== null && seconds <= 3, `${seconds} s are left`);
  await second.fail();
  await untilStatus(client, kind, id, "ACCC");
});

const wrongAnswers = {
  "fewer outcomes than payments": [],
  "an outcome that the port does not define": [{ state: "perhaps" }],
  "something that is not a list": { state: "settled" },
};

for (const [what, answer] of Object.entries(wrongAnswers)) {
  test(`a core that answers with ${what} is asked about the outcome of the payment`, async () => {
    const amount = `60.0${Object.keys(wrongAnswers).indexOf(what)}`;
    const { lodged, token } = await approved(bank, client, amount);
    await second.fail({ call: "execute", how: "answer", answer, times: 1 });
    await second.calls();
    const id = await order(client, lodged, token);
    await untilStatus(client, kind, id, "ACCC");
    const calls = (await second.calls()).map(({ call }) => call);
    assert.deepEqual(calls, ["reserve", "execute", "ask"]);
  });
}

test("a copied BankError that says refused ends the payment, and is not tried again", async () => {
  const { lodged, token } = await approved(bank, client, "61.00");
  await second.fail({ call: "reserve", how: "fail", outcome: "refused", amountMinor: "6100" });
  const id = await order(client, lodged, token);
  await untilStatus(client, kind, id, "RJCT");
  assert.equal((await debitedMinor()).filter((minor) => minor === 6100n).length, 0);
});

/** Creates a consent whose debtor account the bank must look up. */
const lodgeNamed = async (Identification = "60837110000001") =>
  client.call<{ Data: object }>({
    path: `/v4.0/pisp/${kind}-consents`,
    token: await client.clientToken("payments"),
    body: {
      Data: {
        Authorisation: { AuthorisationType: "Single" },
        Initiation: {
          InstructionIdentification: "i1",
          EndToEndIdentification: "e1",
          InstructedAmount: { Amount: "62.00", Currency: "GBP" },
          CreditorAccount: quickPayee,
          DebtorAccount: { SchemeName: "UK.OBIE.SortCodeAccountNumber", Identification },
        },
      },
      Risk: {},
    },
  });

const confirmFunds = (consentId: string, token: string) =>
  client.call<{ Data: object }>({
    path: `/v4.0/pisp/${kind}-consents/${consentId}/funds-confirmation`,
    token,
  });

test("a read is 503 with Retry-After while the core does not answer, and 200 afterwards", {
  timeout: patienceMs,
}, async () => {
  const { lodged, token } = await approved(bank, client, "63.00");
  await second.fail({ call: "confirmFunds", how: "hang" }, { call: "findAccount", how: "fail" });
  // the core never answers this call, so the bank answers by itself
  const refused = await confirmFunds(lodged.consentId, token);
  expectStatus(refused, 503);
  assert.ok(Number(refused.headers["retry-after"]) >= 1);
  expectStatus(await lodgeNamed(), 503);
  await second.fail();
  const confirm = () => confirmFunds(lodged.consentId, token);
  await until(confirm, ({ status }) => status === 200);
  expectStatus(await lodgeNamed(), 201);
});

test("a core's account without a number of signatories is 503, and 201 once it has one", async () => {
  const answer = { accountId: "second-current", status: "Enabled" };
  await second.fail({ call: "findAccount", how: "answer", answer });
  expectStatus(await lodgeNamed(), 503);
  await second.fail();
  await until(lodgeNamed, ({ status }) => status === 201);
});

test("reads on which the core hangs do not delay the execution of payments", async () => {
  const [one, other] = [
    await approved(bank, client, "64.01"),
    await approved(bank, client, "64.02"),
  ];
  const calls = ["confirmFunds", "listAccounts", "loadAccount", "findAccount"];
  await second.fail(...calls.map((call) => ({ call, how: "hang" }) as const));
  const asked = Promise.all(
    Array.from({ length: 20 }, () => confirmFunds(other.lodged.consentId, other.token)),
  );
  const id = await order(client, one.lodged, one.token);
  await untilStatus(client, kind, id, "ACCC");
  for (const answer of await asked) expectStatus(answer, 503);
});

test("with a core that hangs, account information is served and the process is ready", async () => {
  const consentId = await lodgeAccess(client);
  const approval = { scope: "accounts", consentId, customer: "ada" } as const;
  const { access_token: token } = await bank.approve(client, approval);
  const payment = await approved(bank, client, "65.00");
  await second.fail({ call: "*", how: "hang" });
  const id = await order(client, payment.lodged, payment.token);
  const path = "/v3.1/aisp/accounts/second-current";
  expectStatus(await client.call({ path, token }), 200);
  assert.equal((await fetch(`${bank.publicUrl}/health/ready`)).status, 200);
  const login = await fetch(`${bank.publicUrl}/bank/login`);
  assert.equal(login.status, 200);
  // calls about one account would not show that the core hangs for all
  const numbers = ["01", "02", "03", "04", "05"].map((end) => `608371100000${end}`);
  for (const answer of await Promise.all(numbers.map(lodgeNamed))) expectStatus(answer, 503);
  const manage = (path: string) => fetch(`${bank.managementUrl}${path}`);
  await until(
    async () => (await manage("/health/ready")).json() as Promise<{ degraded: string[] }>,
    ({ degraded }) => degraded.includes("read"),
  );
  const metrics = await (await manage("/metrics")).text();
  assert.match(metrics, /aldgate_bank_up\{group="read"\} 0/);
  assert.match(metrics, /aldgate_bank_up\{group="identify"\} 1/);
  await second.fail();
  await untilStatus(client, kind, id, "ACCC");
});

test("no payment is lost or made twice if a share of the core's responses is lost", async () => {
  const pence = Array.from({ length: 12 }, (_, index) => `50.${index + 10}`);
  const calls = ["reserve", "execute", "ask"];
  await second.fail(...calls.map((call) => ({ call, how: "lose", share: 0.4 }) as const));
  const ids = await orderAll(pence);
  const countPaid = async (): Promise<number> => {
    // makes retries due, so that the test need not wait for them
    await bank.advance("PT5M");
    return countInStatus(bank.database, ids, "ACCC");
  };
  await until(countPaid, (paid) => paid === ids.length);
  const paid = await debitedMinor();
  for (const amount of pence) {
    const minor = BigInt(amount.replace(".", ""));
    assert.equal(paid.filter((one) => one === minor).length, 1, amount);
  }
});

test("closing takes a limited time while the core hangs", { timeout: patienceMs }, async () => {
  const ready = await approved(bank, client, "66.00");
  const asking = await approved(bank, client, "66.01");
  await second.fail({ call: "*", how: "hang" });
  await order(client, ready.lodged, ready.token);
  const pending = confirmFunds(asking.lodged.consentId, asking.token).catch(() => null);
  await until(
    () => second.calls(),
    (calls) => calls.some(({ call }) => call === "reserve" || call === "ask"),
  );
  isClosed = true;
  // the core no longer answers, so `close` returns only if the bank does not wait for the core
  await bank.close();
  assert.ok(
    (await second.calls()).some(({ call }) => call === "close"),
    "its close hung too",
  );
  await pending;
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { kindSample } from "./kind-sample.ts";
import { logIn } from "./log-in.ts";
import { nextMonday } from "./next-monday.ts";
import { lodgeAccess, type Resource } from "./payments.ts";

// How often a journey calls the bank's core. Each call may be a request to another machine.

// The calls of journeys. The engine's calls are not counted.
const counted = [
  "authenticate",
  "challenge",
  "verify",
  "loadCustomer",
  "listAccounts",
  "loadAccount",
  "findAccount",
  "loadFunds",
  "price",
] as const satisfies (keyof Bank)[];
const calls: string[] = [];

let bank: TestBank;
let client: TppClient;
let account: { accountId: string; identification: string };
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  account = present((await bank.currentAccounts("amara"))[0], "an account");
  const core = bank.bank as Record<string, unknown>;
  for (const name of counted) {
    const call = core[name] as (...given: unknown[]) => unknown;
    core[name] = (...given: unknown[]) => {
      const [, wanted] = given as [unknown, { funds: boolean }?];
      calls.push(wanted?.funds ? `${name} with balances` : name);
      return call.apply(core, given);
    };
  }
});
after(() => bank?.close());

/** Returns the sorted calls of one journey, from the first page to the response. */
async function callsOf(scope: Scope, consentId: string): Promise<string[]> {
  const authorizationUrl = await client.authorizationUrl({ scope, consentId });
  calls.length = 0;
  const { redirectUrl } = await bank.decide({
    authorizationUrl,
    customer: "amara",
    decision: "approve",
    accounts: [account.accountId],
  });
  assert.match(redirectUrl, /code=/);
  return calls.toSorted();
}

const oncePerJourney = ["authenticate", "challenge", "listAccounts", "verify"];
const withChoice = ["authenticate", "challenge", "listAccounts with balances", "verify"];

async function lodgeKind(kind: PaymentKind, more: object = {}): Promise<string> {
  const { consent, file } = kindSample(bank, kind);
  const { Data, ...rest } = consent;
  const token = await client.clientToken("payments");
  const path = `/v4.0/pisp/${kind.id}-consents`;
  const Initiation = { ...Data.Initiation, ...more };
  const lodged = await client.call<Resource>({
    path,
    token,
    body: { ...rest, Data: { ...Data, Initiation } },
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  if (file) {
    expectStatus(await client.call({ path: `${path}/${consentId}/file`, token, body: file }), 200);
  }
  return consentId;
}

for (const kind of paymentKinds) {
  test(`${kind.id}: a journey makes each call to the core once`, async () => {
    const asked = await callsOf("payments", await lodgeKind(kind));
    // the price is read once if the payment's currency may be exchanged
    const prices = asked.filter((name) => name === "price");
    assert.deepEqual(
      asked.filter((name) => name !== "price"),
      withChoice,
    );
    assert.equal(prices.length, kind.currencies === "exchanged" ? 1 : 0);
  });
}

test("account-access: a journey makes each call to the core once", async () => {
  const asked = await callsOf("accounts", await lodgeAccess(client));
  assert.deepEqual(asked, withChoice);
});

// before the code, to know whether it can be the approval; after it, as the accounts are then
test("a journey whose payment names its account reads the accounts before and after the code, without balances", async () => {
  const DebtorAccount = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: account.identification,
    Name: "Amara Okafor",
  };
  const consentId = await lodgeKind(kindNamed("domestic-payment", paymentKinds), { DebtorAccount });
  assert.deepEqual(
    await callsOf("payments", consentId),
    [...oncePerJourney, "listAccounts"].toSorted(),
  );
});

for (const path of ["/bank", "/bank/payees", "/bank/direct-debits", "/bank/connections/none"]) {
  test(`${path} asks the core for the customer's accounts once`, async () => {
    const visitor = await logIn(bank, "amara");
    calls.length = 0;
    await visitor.open(`${bank.publicUrl}${path}`);
    const asked = calls.filter((name) => name.startsWith("listAccounts"));
    assert.equal(asked.length, 1, calls.join());
  });
}

test("the core of a bank that lists no balances is asked only for those of open accounts", async () => {
  const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
  const { listAccounts, loadFunds } = core;
  const asked: string[] = [];
  core.listAccounts = async (customerId) => {
    const listed = await listAccounts.call(core, customerId);
    return listed.map(({ funds: _, ...one }) =>
      one.accountId === account.accountId ? { ...one, status: "Deleted" } : one,
    );
  };
  core.loadFunds = (accountIds) => {
    asked.push(...accountIds);
    return loadFunds.call(core, accountIds);
  };
  try {
    const visitor = await logIn(bank, "amara");
    await visitor.open(`${bank.publicUrl}/bank`);
  } finally {
    Object.assign(core, { listAccounts, loadFunds });
  }
  assert.notEqual(asked.length, 0);
  assert.equal(asked.includes(account.accountId), false, asked.join());
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import type { CustomerDocument } from "#src/sandbox/own-data/document.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { type Caller, callerOf, expectRefusal, type Refusal } from "./caller.ts";
import { mayaAt } from "./own-customer.ts";

let bank: TestBank;
let call: Caller;
let maya: CustomerDocument;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
  const { now } = await bank.control<{ now: string }>("GET", "/clock");
  maya = mayaAt(Temporal.Instant.from(now));
});
after(() => bank?.close());

const verify = async () =>
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });

const logins = async (): Promise<string[]> => {
  const { customers } = await bank.control<{ customers: SandboxCustomer[] }>("GET", "/customers");
  return customers.map(({ login }) => login);
};

test("a customer is created from JSON, with ids that follow from it, and the books balance", async () => {
  const created = await bank.control<SandboxCustomer>("POST", "/customers", maya);
  assert.equal(created.password, "maya-sandbox");
  assert.deepEqual(
    created.accounts.map(({ accountId, balance }) => `${accountId} ${balance}`).sort(),
    [
      "acc-maya-card -120.40",
      "acc-maya-euro 88.00",
      "acc-maya-home -150000.00",
      "acc-maya-main 1250.00",
      "acc-maya-pot 10.00",
    ],
  );
  assert.ok((await logins()).includes("maya"));
  assert.match(await (await fetch(`${bank.publicUrl}/`)).text(), /Maya Lind/);
  await verify();
});

test("an account can be shared with other customers, and a payment can need two signatures", async () => {
  const [account] = maya.accounts;
  const shared = {
    login: "nils",
    name: "Nils Holm",
    kind: "business" as const,
    accounts: [
      {
        key: "firm",
        type: "CurrentAccount" as const,
        balance: "900.00",
        signatoriesRequired: 2,
        holders: [
          { login: "maya", role: "signatory" as const },
          { login: "nils", role: "owner" as const },
        ],
        standingOrders: account?.standingOrders ?? [],
      },
    ],
  };
  const created = await bank.control<SandboxCustomer>("POST", "/customers", shared);
  assert.equal(created.accounts[0]?.signatoriesRequired, 2);
  const exported = await bank.control<CustomerDocument>("GET", "/customers/nils/export");
  assert.deepEqual(exported.accounts[0]?.holders, shared.accounts[0]?.holders);
  await verify();
});

type Faulty = { name: string; change: object; expected: [code: string, path: string] };
const withAccount = (change: object) => ({
  accounts: [{ key: "a", type: "CurrentAccount", balance: "5.00", ...change }],
});
const at = "2026-01-05T10:00:00Z";
const debit = { at, amount: "1.00", indicator: "Debit", text: "X" };
const faulty: Faulty[] = [
  { name: "no accounts", change: { accounts: [] }, expected: ["invalid", "accounts"] },
  { name: "no name", change: { name: undefined }, expected: ["missing", "name"] },
  { name: "an unknown member", change: { colour: "red" }, expected: ["unexpected", "colour"] },
  { name: "a login in capitals", change: { login: "Ola" }, expected: ["invalid", "login"] },
  {
    name: "an unknown type of account",
    change: withAccount({ type: "Isa" }),
    expected: ["invalid", "accounts[0].type"],
  },
  {
    name: "a day that does not exist",
    change: withAccount({ openedOn: "2024-02-31" }),
    expected: ["invalid", "accounts[0].openedOn"],
  },
  {
    name: "a balance below the limit",
    change: withAccount({ balance: "-5.00" }),
    expected: ["limit", "accounts[0].balance"],
  },
  {
    name: "a history below the limit",
    change: withAccount({ transactions: [{ ...debit, amount: "9.00", indicator: "Credit" }] }),
    expected: ["limit", "accounts[0].transactions[0]"],
  },
  {
    name: "a booked transaction of tomorrow",
    change: withAccount({ transactions: [{ ...debit, at: "2090-01-01T00:00:00Z" }] }),
    expected: ["invalid", "accounts[0].transactions[0].at"],
  },
  {
    name: "a time without an offset",
    change: withAccount({ transactions: [{ ...debit, at: "2026-01-05T10:00:00" }] }),
    expected: ["invalid", "accounts[0].transactions[0].at"],
  },
  {
    name: "a card account without a card",
    change: withAccount({ type: "CreditCard", balance: "0.00" }),
    expected: ["missing", "accounts[0].card"],
  },
  {
    name: "a holder who is no customer",
    change: withAccount({
      holders: [
        { login: "ola", role: "owner" },
        { login: "zed", role: "joint" },
      ],
    }),
    expected: ["unknown", "accounts[0].holders[1].login"],
  },
  {
    name: "an account number that is taken",
    change: withAccount({ number: "TAKEN" }),
    expected: ["taken", "accounts[0].number"],
  },
  {
    name: "a scheduled payment in the past",
    change: withAccount({
      scheduledPayments: [
        {
          on: "2020-01-01",
          payee: { name: "P", number: "00980012000417" },
          amount: "1.00",
          reference: "R",
        },
      ],
    }),
    expected: ["invalid", "accounts[0].scheduledPayments[0].on"],
  },
  {
    name: "two accounts with one key",
    change: { accounts: [...withAccount({}).accounts, ...withAccount({}).accounts] },
    expected: ["duplicate", "accounts[1].key"],
  },
  {
    name: "a payee whose number does not fit",
    change: { beneficiaries: [{ schemeName: "UK.OBIE.IBAN", identification: "123", name: "P" }] },
    expected: ["invalid", "beneficiaries[0].identification"],
  },
];
for (const { name, change, expected } of faulty) {
  test(`${name}: refused with a code and a path, and nothing is stored`, async () => {
    const body = JSON.stringify({ login: "ola", name: "Ola", ...withAccount({}), ...change });
    const [taken] = await bank.currentAccounts("maya");
    const sent = body.replace("TAKEN", taken?.identification ?? "");
    const answer = await expectRefusal(await call("POST", "/customers", sent), 400);
    const { errors = [] } = answer as Refusal & { errors?: { code: string; path: string }[] };
    assert.deepEqual(
      errors.map(({ code, path }) => [code, path]),
      [expected],
    );
    assert.equal((await logins()).includes("ola"), false);
  });
}

test("a card account without a card is refused with a card that would do", async () => {
  const card = withAccount({ key: "card", type: "CreditCard", balance: "0.00" });
  const without = { login: "ola", name: "Ola", ...card };
  const { faults } = await expectRefusal(await call("POST", "/customers", without), 400);
  const example = /such as (\{.*\})\.$/.exec(faults?.join() ?? "")?.[1];
  const [account] = card.accounts;
  const accounts = [{ ...account, card: JSON.parse(String(example)) }];
  await bank.control("POST", "/customers", { ...without, accounts });
  await bank.control("DELETE", "/customers/ola");
});

test("a login that nobody has is refused with what lists the logins", async () => {
  for (const path of [
    "/customers/zoe/export",
    "/customers/zoe/consents",
    "/customers/z%20e/export",
  ]) {
    const { message } = await expectRefusal(await call("GET", path), 404);
    assert.match(message, /^There is no customer "z.*e"\. GET \/sandbox\/v1\/customers lists/);
  }
});

test("a login can be used once, whether by a persona or by another customer", async () => {
  for (const login of ["amara", "maya"]) {
    await expectRefusal(await call("POST", "/customers", { ...maya, login }), 409);
  }
});

test("the schema is published, and is that of the OpenAPI document's request", async () => {
  const schema = await bank.control<Record<string, unknown>>("GET", "/schemas/customer");
  assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  const document = await (await fetch(`${bank.publicUrl}/openapi/sandbox-v1.json`)).json();
  const { schemas } = (document as { components: { schemas: Record<string, object> } }).components;
  const { properties } = schemas.OwnCustomer as { properties: object };
  assert.deepEqual(Object.keys(properties), Object.keys(schema.properties as object));
});

test("a deleted customer's consents end, accounts close, and nobody can log in", async () => {
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client);
  const { access_token: token } = await bank.approve(client, {
    scope: "accounts",
    consentId,
    customer: "maya",
  });
  assert.equal((await client.call({ path: "/v4.0/aisp/accounts", token })).status, 200);
  await bank.control("DELETE", "/customers/maya");
  assert.notEqual((await client.call({ path: "/v4.0/aisp/accounts", token })).status, 200);
  assert.equal((await logins()).includes("maya"), false);
  await expectRefusal(await call("GET", "/customers/maya/export"), 404);
  await expectRefusal(await call("DELETE", "/customers/maya"), 404);
  await expectRefusal(await call("DELETE", "/customers/amara"), 409);
  await assert.rejects(
    bank.approve(client, {
      scope: "accounts",
      consentId: await lodgeAccess(client),
      customer: "maya",
    }),
  );
  const { accounts } = await bank.control<CustomerDocument>("GET", "/customers/nils/export");
  assert.equal(accounts[0]?.holders, undefined);
  await verify();
});

test("every persona can be exported, and a copy under another login be made of it", async () => {
  const own = (await logins()).filter((login) => !login.includes("_"));
  const exported = await Promise.all(
    own.map((login) => bank.control<CustomerDocument>("GET", `/customers/${login}/export`)),
  );
  for (const { login, accounts, ...rest } of exported) {
    const copy = `${login}2`;
    const copied = accounts.map(({ number: _, holders, ...account }) => ({
      ...account,
      ...(holders
        ? { holders: holders.map((one) => (one.login === login ? { ...one, login: copy } : one)) }
        : {}),
    }));
    await bank.control("POST", "/customers", { ...rest, login: copy, accounts: copied });
  }
  await verify();
});

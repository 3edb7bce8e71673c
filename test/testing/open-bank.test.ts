import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inspect } from "node:util";
import { present } from "#src/lib/assert.ts";
import type { BankOptions, TestBank, TestTpp } from "#src/testing/index.ts";
import { openCached, start } from "./cached-bank.ts";

const accountConsent = {
  Data: { Permissions: ["ReadAccountsBasic", "ReadBalances"] },
  Risk: {},
};
const payee = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "20001512345678",
  Name: "The Corner Shop Limited",
};

/** The consent of a payment, with more members of `Data` and of its initiation. */
const payment = (Amount: string, data: object = {}, more: object = {}) => ({
  Data: {
    ...data,
    Initiation: {
      InstructionIdentification: "instruction",
      EndToEndIdentification: "end-to-end",
      InstructedAmount: { Amount, Currency: "GBP" },
      CreditorAccount: payee,
      ...more,
    },
  },
  Risk: {},
});

type Made = { Data: { ConsentId: string } };

/** Makes a payment up to its order. Returns the body of the answer. */
async function pay(
  bank: TestBank,
  tpp: TestTpp,
  body: ReturnType<typeof payment> & { Data: object },
  kind = "domestic-payment",
): Promise<{ Data: Record<string, string> }> {
  const path = `/v4.0/pisp/${kind}`;
  const token = await tpp.token("payments");
  const consent = await tpp.call<Made>({ path: `${path}-consents`, token, body });
  assert.equal(consent.status, 201, consent.raw.toString());
  const { access_token } = await bank.approve(consent.body, "amara");
  const { ConsentId } = consent.body.Data;
  const { Initiation } = body.Data;
  const order = await tpp.call<{ Data: Record<string, string> }>({
    path: `${path}s`,
    token: access_token,
    body: { Data: { ConsentId, Initiation }, Risk: {} },
  });
  assert.equal(order.status, 201, order.raw.toString());
  return order.body;
}

describe("a bank that openBank has opened", () => {
  let bank: TestBank;
  let tpp: TestTpp;
  before(async () => {
    bank = await openCached();
    tpp = await bank.tpp();
  });
  after(() => bank?.close());

  test("begins at the wanted time, with customers and their accounts", async () => {
    assert.equal(bank.clock.now().toString(), start);
    const amara = present(
      (await bank.customers()).find(({ login }) => login === "amara"),
      "amara",
    );
    assert.equal(amara.accounts[0]?.accountId, "acc-qaukodbe2axxbzy1");
  });

  test("says what is wrong with the request for a TPP, and with a scope", async () => {
    for (const [request, message] of [
      [{ profile: "fapi3" }, /^profile: .*fapi1.*fapi2.* It is 'fapi3'$/m],
      [{ roles: ["AISPP"] }, /^roles\[0\]: .*AISP.* It is \[ 'AISPP' \]$/m],
      [{ redirectUri: "https://tpp.example/" }, /^redirectUri: /m],
    ] as const) {
      await assert.rejects(bank.tpp(request as object), { message });
    }
    const wanted = "scope: must be one of accounts, payments, fundsconfirmations; it is undefined";
    await assert.rejects((tpp.token as () => Promise<string>)(), ({ message }: Error) =>
      message.includes(wanted),
    );
  });

  test("grants a TPP the contracts that its request has", async () => {
    const contract = {
      contractId: "energy-1",
      types: ["UK.OBIE.VRPType.CVRP1" as const],
      purpose: "bills" as const,
    };
    const { clientId } = await bank.tpp({ vrpContracts: [contract] });
    const list = await bank.control<{ contracts: { clientId: string }[] }>("GET", "/vrp-contracts");
    assert.ok(list.contracts.some((one) => one.clientId === clientId));
  });

  test("serves a TPP's fetch, which has the certificate, and adds nothing", async () => {
    const path = "/api/open-banking/v4.0/aisp/account-access-consents";
    const authorization = `Bearer ${await tpp.token("accounts")}`;
    const sent = { method: "POST", body: JSON.stringify(accountConsent) };
    const bare = await tpp.fetch(path, { ...sent, headers: { authorization } });
    assert.equal(bare.status, 415, "the content type of JSON is not added");
    const headers = { authorization, "content-type": "application/json" };
    const answer = await tpp.fetch(path, { ...sent, headers });
    assert.equal(answer.status, 201);
    const { access_token } = await bank.approve((await answer.json()) as Made, "amara");
    const accounts = await tpp.fetch(
      new Request(`${bank.mtlsUrl}/api/open-banking/v4.0/aisp/accounts`, {
        headers: { authorization: `Bearer ${access_token}` },
      }),
    );
    assert.equal(accounts.status, 200);
    const { Data } = (await accounts.json()) as { Data: { Account: object[] } };
    assert.equal(Data.Account.length, 3);
    const other = await bank.tpp();
    const stolen = await other.fetch("/api/open-banking/v4.0/aisp/accounts", {
      headers: { authorization: `Bearer ${access_token}` },
    });
    assert.equal(stolen.status, 401, "the token is bound to the first TPP's certificate");
  });

  test("accepts a body that the test has signed itself", async () => {
    const body = JSON.stringify(payment("3.00"));
    const headers = {
      authorization: `Bearer ${await tpp.token("payments")}`,
      "content-type": "application/json",
      "x-idempotency-key": "one",
      "x-jws-signature": await tpp.sign(body),
    };
    const path = "/api/open-banking/v4.0/pisp/domestic-payment-consents";
    const answer = await tpp.fetch(path, { method: "POST", body, headers });
    assert.equal(answer.status, 201, await answer.text());
  });

  test("settles a payment, although its clock stands still", async () => {
    const order = await pay(bank, tpp, payment("3.50"));
    const settled = await bank.settled(order);
    assert.deepEqual(settled, {
      orderId: order.Data.DomesticPaymentId,
      status: "ACCC",
      reasons: [],
    });
  });

  test("says why an order was rejected", async () => {
    const { status, reasons } = await bank.settled(await pay(bank, tpp, payment("200000.00")));
    assert.equal(status, "RJCT");
    assert.deepEqual(
      reasons.map(({ code }) => code),
      ["AM04"],
    );
  });

  test("says what a payment of a later day waits for, and makes it when the clock is set", async () => {
    const later = { RequestedExecutionDateTime: "2026-12-10T00:00:00Z" };
    const order = await pay(
      bank,
      tpp,
      payment("4.00", { Permission: "Create" }, later),
      "domestic-scheduled-payment",
    );
    await assert.rejects(bank.settled(order), /is PDNG and does not go on by itself.*2026-12-10/);
    await bank.clock.advance("P1M");
    assert.equal((await bank.settled(order)).status, "ACCC");
    const wanted = Temporal.Instant.from("2027-01-04T09:00:00Z");
    await bank.clock.advance(wanted);
    assert.equal(bank.clock.now().toString(), wanted.toString());
  });

  test("lets a customer decide about a URL that another program has made", async () => {
    const token = await tpp.token("accounts");
    const path = "/v4.0/aisp/account-access-consents";
    const { body } = await tpp.call<Made>({ path, token, body: accountConsent });
    const authorizationUrl = await tpp.authorizationUrl({
      scope: "accounts",
      consentId: body.Data.ConsentId,
    });
    const { redirectUrl: refused } = await bank.decide({
      authorizationUrl,
      customer: "ben",
      decision: "deny",
    });
    assert.equal(new URLSearchParams(new URL(refused).hash.slice(1)).get("error"), "access_denied");
  });

  test("shows the bank's error if a refused request is given as a consent or an order", async () => {
    const path = "/v4.0/aisp/account-access-consents";
    const token = await tpp.token("accounts");
    const refused = await tpp.call<Made>({ path, token, body: { Data: {}, Risk: {} } });
    await assert.rejects(bank.approve(refused.body, "amara"), /a consent: .*Data\.Permissions/);
    await assert.rejects(bank.settled(refused.body), /an order: .*Data\.Permissions/);
  });

  test("names the consent that does not exist, and the login that does not", async () => {
    await assert.rejects(bank.approve("nothing", "amara"), /There is no consent nothing\./);
    await assert.rejects(bank.settled("nothing"), /There is no order nothing\./);
    const token = await tpp.token("accounts");
    const path = "/v4.0/aisp/account-access-consents";
    const { body } = await tpp.call<Made>({ path, token, body: accountConsent });
    await assert.rejects(bank.approve(body, "nobody"), /the customer nobody does not exist/);
  });
});

test("several banks are open in one process, each with its own data, clock and addresses", async () => {
  const [one, other] = await Promise.all([openCached(), openCached()]);
  try {
    const balances = async (bank: TestBank): Promise<unknown> =>
      (await bank.customers()).map(({ accounts }) => accounts);
    const before = await balances(other);
    assert.deepEqual(await balances(one), before);
    const tpp = await one.tpp();
    await one.settled(await pay(one, tpp, payment("5.00")));
    await one.clock.advance("P3D");
    assert.deepEqual(await balances(other), before);
    assert.notDeepEqual(await balances(one), before);
    assert.equal(other.clock.now().toString(), start);
    assert.notEqual(one.caPem, other.caPem);
    assert.notEqual(one.publicUrl, other.publicUrl);
    await one.close();
    await (await other.tpp()).token("accounts");
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

describe("openBank says what is wrong with an option, what it got, and what is allowed:", () => {
  const when = "must be a date-time with an offset, in this century, such as 2026-11-24T09:00Z";
  for (const [options, message] of [
    [{ clock: "yesterday" }, `clock: ${when}; it is 'yesterday'`],
    [{ clock: "2026-11-24T09:00" }, `clock: ${when}; it is '2026-11-24T09:00'`],
    [{ clock: "1999-01-01T09:00Z" }, `clock: ${when}; it is '1999-01-01T09:00:00.000Z'`],
    [{ clock: "2026-02-30T09:00Z" }, `clock: ${when}; it is '2026-02-30T09:00Z'`],
    [{ rate: -1 }, "rate: must be a whole number from 0 to 86400; it is -1"],
    [{ rate: "fast" }, "rate: must be a whole number from 0 to 86400; it is 'fast'"],
    [{ settings: { BANKNAME: "x" } }, "settings.BANKNAME: unknown; see docs/configuration.md"],
    [
      { settings: { REAUTHENTICATION_DAYS: "ninety" } },
      "settings.REAUTHENTICATION_DAYS: must be a whole number of at least 0; it is 'ninety'",
    ],
    [
      { clok: start },
      "clok: there is no such option; the options are clock, rate, settings, cache",
    ],
  ] as const) {
    test(inspect(options), async () => {
      const opened = openCached(options as BankOptions);
      opened.then((bank) => bank.close()).catch(() => undefined);
      await assert.rejects(opened, ({ message: said }: Error) => said.includes(message));
    });
  }
});

test("whoever calls a bank that is closed reads that it is closed", async () => {
  const bank = await openCached();
  const tpp = await bank.tpp();
  await bank.close();
  const calls: Record<string, () => Promise<unknown>> = {
    control: () => bank.control("GET", "/customers"),
    customers: () => bank.customers(),
    advance: () => bank.clock.advance("P1D"),
    setRate: () => bank.clock.setRate(0),
    tpp: () => bank.tpp(),
    approve: () => bank.approve("dpc-1", "amara"),
    settled: () => bank.settled("dp-1"),
    token: () => tpp.token("payments"),
    call: () => tpp.call({ path: "/v4.0/aisp/accounts" }),
    fetch: () => tpp.fetch("/jwks"),
    decide: () =>
      bank.decide({ authorizationUrl: bank.publicUrl, customer: "amara", decision: "approve" }),
  };
  for (const [name, call] of Object.entries(calls)) {
    await assert.rejects(call(), /^Error: The bank is closed: .* Open another with/, name);
  }
});

test("the end of `await using` closes the bank, and the name of a bank is a setting", async () => {
  const bank = await openCached({ settings: { BANK_NAME: "The Bank of Tests" } });
  assert.match(await (await fetch(`${bank.publicUrl}/`)).text(), /The Bank of Tests/);
  await bank[Symbol.asyncDispose]();
  await assert.rejects(fetch(`${bank.publicUrl}/`));
});

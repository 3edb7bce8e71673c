// What is played on two clients. The project's own copes with everything, and the report on a naive
// one names its faults.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Bank, Grant } from "#packages/client/src/index.ts";
import type { TppCertificates } from "#src/sandbox/directory/issued-tpp.ts";
import { misbehaviours } from "#src/sandbox/robust/misbehaviours.ts";
import type { RobustReport } from "#src/sandbox/robust/report.ts";
import type { Answer } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type ClientBed, openClientBed, tenPounds } from "#test/client/client-bed.ts";
import { until } from "#test/until.ts";

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed.close());

const pathOf = (clientId: string): string => `/tpps/${clientId}/misbehaviours`;
const report = (clientId: string): Promise<RobustReport> =>
  bed.bank.control("GET", pathOf(clientId));

const { CreditorAccount } = tenPounds.Data.Initiation;

const amount = { Amount: "90.00", Currency: "GBP" };
const limits = {
  VRPType: ["UK.OBIE.VRPType.Sweeping"],
  PSUAuthenticationMethods: ["UK.OBIE.SCANotRequired"],
  MaximumIndividualAmount: amount,
  PeriodicLimits: [{ PeriodType: "Week" as const, PeriodAlignment: "Consent" as const, ...amount }],
};

/** A mandate for small payments, approved. */
async function mandateOf(client: Bank) {
  const vrp = client.payments("domestic-vrp");
  const consent = await vrp.createConsent({
    Data: { ControlParameters: limits, Initiation: { CreditorAccount } },
    Risk: {},
  });
  const [account] = await bed.bank.currentAccounts("amara");
  const login = await client.authorise(consent);
  const accounts = [String(account?.accountId)];
  const { redirectUrl: returned } = await bed.sandbox.approve(login, {
    customer: "amara",
    accounts,
  });
  return { consent, grant: await client.finish(login, returned) };
}

const permissions = [
  "ReadAccountsDetail",
  "ReadTransactionsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
] as const;

async function accessOf(client: Bank) {
  const consent = await client.accounts.createConsent({
    Data: { Permissions: [...permissions] },
    Risk: {},
  });
  return { consent, grant: await bed.approve(client, consent) };
}

const orderOf = (reference: string) => ({
  PSUAuthenticationMethod: "UK.OBIE.SCANotRequired",
  VRPType: "UK.OBIE.VRPType.Sweeping",
  Instruction: {
    InstructionIdentification: reference,
    EndToEndIdentification: reference,
    InstructedAmount: { Amount: "0.10", Currency: "GBP" },
    CreditorAccount,
  },
});

async function readAll(client: Bank, grant: Grant): Promise<void> {
  for await (const account of client.accounts.readAll("accounts", grant)) {
    const { AccountId } = account;
    for await (const one of client.accounts.read("transactions", AccountId, grant)) {
      assert.ok(one.Amount);
    }
    break;
  }
}

type Page = { Links?: { Next?: string } };

/** A client that has learned nothing: no signatures, no waiting, and a new key for each attempt. */
async function naiveClient() {
  const client = await bed.bank.createTpp({ name: "Naive TPP" });
  client.onAnswer = null; // the published answers are not what it gets
  const token = await client.clientToken("payments");
  const Initiation = { CreditorAccount };
  const consent = await client.call<{ Data: { ConsentId: string } }>({
    method: "POST",
    path: "/v4.0/pisp/domestic-vrp-consents",
    token,
    body: { Data: { ControlParameters: limits, Initiation }, Risk: {} },
  });
  const { ConsentId } = consent.body.Data;
  const [account] = await bed.bank.currentAccounts("dev");
  const accounts = [String(account?.accountId)];
  const approval = { consentId: ConsentId, customer: "dev", accounts };
  const { access_token } = await bed.bank.approve(client, { scope: "payments", ...approval });

  async function pay(reference: string): Promise<boolean> {
    const { Instruction, ...order } = orderOf(reference);
    const body = { Data: { ConsentId, ...order, Initiation, Instruction }, Risk: {} };
    for (let attempt = 0; attempt < 3; attempt++) {
      const path = "/v4.0/pisp/domestic-vrps";
      const call = { method: "POST", path, token: access_token, body };
      const answer = await client.call<{ Data?: { Status: string } }>(call).catch(() => null);
      if (answer?.body?.Data) return true;
    }
    return false;
  }

  const access = await client.call<{ Data: { ConsentId: string } }>({
    method: "POST",
    path: "/v4.0/aisp/account-access-consents",
    token: await client.clientToken("accounts"),
    body: { Data: { Permissions: permissions }, Risk: {} },
  });
  const reading = { consentId: access.body.Data.ConsentId, customer: "dev" };
  const tokens = await bed.bank.approve(client, { scope: "accounts", ...reading });

  /** Reads pages until there is no next one; tries at once again what was refused. */
  async function read(path: string): Promise<boolean> {
    let next: string | undefined = path;
    for (let page = 0; next !== undefined && page < 9; page++) {
      const call: { path: string; token: string } = { path: next, token: tokens.access_token };
      let answer: Answer<Page> = await client.call<Page>(call);
      if (answer.status === 429) answer = await client.call<Page>(call);
      if (answer.status !== 200) return false;
      next = answer.body.Links?.Next;
    }
    return true;
  }

  const transactions = `/v4.0/aisp/accounts/${account?.accountId}/transactions`;
  return { clientId: client.tpp.clientId, pay, read, transactions };
}

const rowOf = ({ rows }: RobustReport, name: string) => {
  const found = rows.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
};

test("a naive client’s report names what it did: paid twice, gave up, did not wait", async () => {
  const { clientId, pay, read, transactions } = await naiveClient();
  const balance = async (): Promise<number> => {
    const [now] = await bed.bank.currentAccounts("dev");
    return Math.round(Number(now?.balance) * 100);
  };
  const settings = { patience: 1, slow: 1, retryAfter: 1, lasts: 120 };
  const play = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    await bed.bank.control("POST", pathOf(clientId), { ...settings, names: [name] });
    await act();
    const { rows } = await until(
      () => report(clientId),
      (one) => one.rows.every(({ state }) => state === "done"),
    );
    verdicts[name] = rows.find((one) => one.name === name)?.verdict ?? null;
  };
  const verdicts: Record<string, string | null> = {};
  const before = await balance();
  await play("lost-order", () => pay("lost"));
  const twice = rowOf(await report(clientId), "lost-order");
  assert.match(String(twice.seen), /with another key.*The ledger has booked 2 of them\.$/);
  assert.match(String(twice.advice), /Store the idempotency key/);
  assert.equal(before - (await balance()), 20);
  await play("busy-order", () => pay("busy"));
  await play("slow-order", () => pay("slow"));
  await play("too-many-requests", () => read("/v4.0/aisp/accounts"));
  await play("unavailable", () => read("/v4.0/aisp/accounts"));
  await play("token-ends-early", () => read("/v4.0/aisp/accounts"));
  await play("endless-pages", () => read(transactions));
  await play("odd-dates", () => read("/v4.0/aisp/accounts"));
  await play("rotated-keys", async () => {
    await pay("rotated");
    await read("/v4.0/aisp/accounts");
  });
  await play("event-twice", async () => bed.bank.control("DELETE", pathOf(clientId)));
  assert.deepEqual(verdicts, {
    "lost-order": "paid twice",
    "busy-order": "at risk",
    "slow-order": "coped",
    "too-many-requests": "at risk",
    unavailable: "gave up",
    "token-ends-early": "gave up",
    "endless-pages": "at risk",
    "odd-dates": "cannot be judged",
    "rotated-keys": "at risk",
    "event-twice": "not reached",
  });
  assert.deepEqual(await bed.bank.control("GET", "/verify"), { holds: true, breaches: [] });
});

test("a client that has sent its customer to the bank goes on, however long the customer takes", async () => {
  const tpp = await bed.sandbox.createTpp();
  const client = await bed.connect(tpp);
  const settings = { patience: 1, lasts: 120, names: ["unknown-members"] };
  await bed.bank.control("POST", pathOf(tpp.client.id), settings);
  const consent = await client.payments("domestic-payment").createConsent(tenPounds);
  const { url } = await client.authorise(consent);
  assert.equal((await fetch(url, { redirect: "manual" })).status, 303);
  const { rows } = await until(
    () => report(tpp.client.id),
    (one) => one.rows.every(({ state }) => state === "done"),
  );
  const { verdict, seen } = rowOf({ rows } as RobustReport, "unknown-members");
  assert.deepEqual([verdict, seen], ["coped", "It went on with GET /auth."]);
});

test("the library of this repository copes with all that is played", async () => {
  const tpp = await bed.sandbox.createTpp();
  const clientId = tpp.client.id;
  const { privateKey } = tpp.client.transport;
  const client = await bed.connect({
    ...tpp,
    timeoutMs: 5000,
    async renewTransport() {
      const path = `/tpps/${clientId}/revocations`;
      const renewed = await bed.sandbox.call<TppCertificates>("POST", path, { use: "transport" });
      return { certificate: renewed.transport.certificatePem, privateKey };
    },
  });
  const { consent, grant } = await mandateOf(client);
  const access = await accessOf(client);
  const events = client.events();
  await events.subscribe({});
  for (const _ of [1, 2]) await bed.sandbox.revoke((await accessOf(client)).consent);
  const settings = { patience: 3, slow: 1, retryAfter: 1, lasts: 240 };
  // this client polls: test/robust/pushed-events.test.ts has what needs a URL
  const names = misbehaviours.map(({ name }) => name).filter((one) => one !== "unaccepted-event");
  await bed.bank.control("POST", pathOf(clientId), { ...settings, names });
  for (let turn = 1; turn < 60; turn++) {
    if ((await report(clientId)).state === "ended") break;
    const payments = client.payments("domestic-payment");
    const made = await payments.createConsent(tenPounds);
    await payments.readConsent(made);
    const vrp = client.payments("domestic-vrp");
    const order = await vrp.submit(consent, grant, orderOf(`turn-${turn}`));
    await vrp.waitUntilFinal(order, { enough: ["ACSC"] });
    // a list without end is an error, and the only one
    await readAll(client, access.grant).catch((error: Error) =>
      assert.match(error.message, /repeats/),
    );
    for await (const event of events.poll({ once: true })) assert.ok(event.id);
  }
  const { rows, isRobust } = await report(clientId);
  assert.deepEqual(
    rows.filter(({ verdict }) => verdict !== "coped"),
    [],
  );
  assert.ok(isRobust);
  for (const { name, played } of rows) {
    assert.ok(played.length > 0, name);
    for (const { logId } of played) assert.ok(logId, name);
  }
});

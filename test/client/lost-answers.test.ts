// What the library does if answers are lost, late or refused, and that nothing is paid twice.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Bank, BankError, NoAnswerError } from "#packages/client/src/index.ts";
import { ConnectionLost } from "#packages/client/src/transport.ts";
import { type ClientBed, openClientBed, type Play, playing, tenPounds } from "./client-bed.ts";

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed.close());

const orders = /\/domestic-payments$/;
const quick = { firstWaitMs: 1 };

/** Pays with a client whose order is played with. */
async function pay(play: Play, retry: object = quick) {
  const played = playing("POST", orders, play);
  const client = await bed.connect({ fetch: played.fetch, retry });
  const payments = client.payments("domestic-payment");
  const consent = await payments.createConsent(tenPounds);
  const grant = await bed.approve(client, consent);
  const submitted = payments.submit(consent, grant);
  return { submitted, sent: played.seen, payments, consent, grant };
}

/** Sends the request, and loses the answer. */
const lose: Play = ({ url, options, send }) =>
  send(url, options).then(() => {
    throw new ConnectionLost(options.method, url, new Error("socket hang up"));
  });

const answering = (status: number, headers: Record<string, string> = {}): Promise<Response> =>
  Promise.resolve(new Response("<html>Sorry</html>", { status, headers }));

describe("an order whose answer is lost", () => {
  test("is sent again with the same key and the same bytes, and is paid once", async () => {
    const { submitted, sent, payments, consent } = await pay((request) =>
      request.count < 3 ? lose(request) : null,
    );
    const order = await submitted;
    assert.equal(sent.length, 3);
    assert.equal(new Set(sent.map(({ headers }) => headers["x-idempotency-key"])).size, 1);
    assert.equal(new Set(sent.map(({ body }) => String(body))).size, 1);
    // a consent pays once, so a second order would have been refused
    assert.equal(order.Data.ConsentId, consent.id);
    const final = await payments.waitUntilFinal(order, { enough: ["ACSC"] });
    assert.equal(final.Data.DomesticPaymentId, order.Data.DomesticPaymentId);
  });

  test("is given up after the last attempt, with the key with which it is then repeated", async () => {
    const attempts = 2;
    const { submitted, sent, payments, consent, grant } = await pay(
      (request) => (request.count <= attempts ? lose(request) : null),
      { ...quick, attempts },
    );
    const lost = await submitted.then(
      () => assert.fail("the order got no answer"),
      (error: unknown) => error,
    );
    assert.ok(lost instanceof NoAnswerError);
    assert.equal(sent.length, attempts);
    assert.match(lost.message, /Repeat it with the idempotency key/);
    const idempotencyKey = String(lost.idempotencyKey);
    // a consent pays once: without the key, the bank would refuse a further order
    const order = await payments.submit(consent, grant, {}, { idempotencyKey });
    assert.equal(order.Data.ConsentId, consent.id);
    await assert.rejects(payments.submit(consent, grant), { name: "BankError", code: "U009" });
  });
});

test("a recurring payment whose answer is lost moves the money once", async () => {
  const played = playing("POST", /\/domestic-vrps$/, (request) =>
    request.count === 1 ? lose(request) : null,
  );
  const client = await bed.connect({ fetch: played.fetch, retry: quick });
  const vrp = client.payments("domestic-vrp");
  const { CreditorAccount } = tenPounds.Data.Initiation;
  const amount = { Amount: "20.00", Currency: "GBP" };
  const consent = await vrp.createConsent({
    Data: {
      ControlParameters: {
        VRPType: ["UK.OBIE.VRPType.Sweeping"],
        PSUAuthenticationMethods: ["UK.OBIE.SCANotRequired"],
        MaximumIndividualAmount: amount,
        PeriodicLimits: [{ PeriodType: "Week", PeriodAlignment: "Consent", ...amount }],
      },
      Initiation: { CreditorAccount },
    },
    Risk: {},
  });
  const login = await client.authorise(consent);
  const [account] = await bed.bank.currentAccounts("amara");
  const accounts = [String(account?.accountId)];
  const { redirectUrl: returned } = await bed.sandbox.approve(login, {
    customer: "amara",
    accounts,
  });
  const grant = await client.finish(login, returned);
  const balance = async (): Promise<number> => {
    const [now] = await bed.bank.currentAccounts("amara");
    return Math.round(Number(now?.balance) * 100);
  };
  const before = await balance();
  const id = { InstructionIdentification: "sweep", EndToEndIdentification: "sweep" };
  const order = await vrp.submit(consent, grant, {
    PSUAuthenticationMethod: "UK.OBIE.SCANotRequired",
    VRPType: "UK.OBIE.VRPType.Sweeping",
    Instruction: { ...id, InstructedAmount: amount, CreditorAccount },
  });
  await vrp.waitUntilFinal(order, { enough: ["ACSC"] });
  assert.equal(played.seen.length, 2);
  assert.equal(before - (await balance()), 2000);
});

describe("an order that the bank is too busy for", () => {
  for (const status of [500, 502, 503, 504, 429]) {
    test(`is sent again after ${status}, and is paid once`, async () => {
      const { submitted, sent } = await pay(({ count }) =>
        count === 1 ? answering(status) : null,
      );
      assert.equal((await submitted).Data.Status.length, 4);
      assert.equal(sent.length, 2);
    });
  }

  const waits: [title: string, value: () => string][] = [
    ["seconds", () => "1"],
    // a date has whole seconds
    ["a date", () => new Date(Date.now() + 2000).toUTCString()],
  ];
  for (const [title, value] of waits) {
    test(`waits as long as Retry-After says with ${title}`, async () => {
      const times: number[] = [];
      const { submitted } = await pay(({ count }) => {
        times.push(Date.now());
        return count > 1 ? null : answering(429, { "retry-after": value() });
      });
      await submitted;
      const [first = 0, second = 0] = times;
      assert.ok(second - first >= 990, `${second - first} ms`);
    });
  }

  test("is not kept waiting longer than allowed", async () => {
    const { submitted, sent } = await pay(() => answering(429, { "retry-after": "3600" }));
    await assert.rejects(submitted, (error: BankError) => {
      assert.ok(error instanceof BankError);
      assert.equal(error.status, 429);
      assert.equal(error.body, "<html>Sorry</html>");
      return true;
    });
    assert.equal(sent.length, 1);
  });
});

test("a request without a key is repeated only if the bank did not carry it out", async () => {
  const consents = /\/account-access-consents$/;
  const create = (client: Bank) =>
    client.accounts.createConsent({ Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} });
  const cut = playing("POST", consents, lose);
  await assert.rejects(create(await bed.connect({ fetch: cut.fetch, retry: quick })), {
    name: "NoAnswerError",
    idempotencyKey: null,
  });
  assert.equal(cut.seen.length, 1);
  const busy = playing("POST", consents, ({ count }) => (count === 1 ? answering(503) : null));
  await create(await bed.connect({ fetch: busy.fetch, retry: quick }));
  assert.equal(busy.seen.length, 2);
  const broken = playing("POST", consents, () => answering(500));
  await assert.rejects(create(await bed.connect({ fetch: broken.fetch, retry: quick })), {
    name: "BankError",
    status: 500,
  });
  assert.equal(broken.seen.length, 1);
});

test("a call takes no longer than its time limit, and can be aborted", async () => {
  const silent: Play = ({ options: { signal } }) =>
    new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  const retry = { ...quick, attempts: 2 };
  const played = playing("GET", /\/accounts$/, silent);
  const client = await bed.connect({ fetch: played.fetch, retry, timeoutMs: 200 });
  const consent = await client.accounts.createConsent({
    Data: { Permissions: ["ReadAccountsBasic"] },
    Risk: {},
  });
  const grant = await bed.approve(client, consent);
  await assert.rejects(client.accounts.readAll("accounts", grant).next(), NoAnswerError);
  assert.equal(played.seen.length, 2);
  const signal = AbortSignal.abort(new Error("the customer left"));
  const read = client.accounts.readAll("accounts", grant, { signal });
  await assert.rejects(read.next(), /the customer left/);
});

test("an error has the bank's code, path, words and interaction id", async () => {
  const client = await bed.connect();
  const interactionId = "93bac548-d2de-4546-b106-880a5018460d";
  const initiation = {
    ...tenPounds.Data.Initiation,
    InstructedAmount: { Amount: "x", Currency: "GBP" },
  };
  const body = { ...tenPounds, Data: { Initiation: initiation } };
  const created = client.payments("domestic-payment").createConsent(body, { interactionId });
  await assert.rejects(created, (error: BankError) => {
    assert.ok(error instanceof BankError);
    const { status, code, path } = error;
    assert.deepEqual(
      [status, code, path],
      [400, "U002", "Data.Initiation.InstructedAmount.Amount"],
    );
    assert.equal(error.interactionId, interactionId);
    assert.equal(error.faults.length, 1);
    assert.ok(error.message.includes(String(error.faults[0]?.message)));
    assert.ok(error.message.includes(interactionId));
    return true;
  });
});

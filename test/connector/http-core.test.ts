import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { type Bank, BankError, bankErrorOutcome } from "#src/bank/port.ts";
import type { CallName } from "#src/bank/port-answers.ts";
import { chargesBy } from "#src/bank/tariff.ts";
import { connectCore, type HttpCore } from "#src/connector/http-core.ts";
import { callRows, otherRows } from "#src/connector/operations.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { sandboxTariff } from "#src/sandbox/bank/tariff.ts";
import { samples } from "./samples.ts";

// A core that answers what the test wants, served by our own server.
let answerOf: (name: CallName, given: unknown[]) => unknown;
let raw: ((path: string) => { status: number; body: string | Buffer } | undefined) | undefined;
let app: FastifyInstance;
let url: string;
let http: HttpCore;

const names = Object.keys(samples) as CallName[];
const deadlinesMs = {
  identify: 5000,
  read: 5000,
  document: 5000,
  quote: 5000,
  execute: 5000,
  tell: 5000,
};
const connect = (to = url) => connectCore({ url: to, deadlinesMs, callsAtOnce: 4, sign: null });

before(async () => {
  const calls = names.map((name) => [name, async (...given: unknown[]) => answerOf(name, given)]);
  const bank = {
    ...(Object.fromEntries(calls) as Bank),
    chargesOf: chargesBy(sandboxTariff),
    exchangeCurrencies: ["GBP", "JPY"],
    readsContext: true,
    attachesData: true,
  };
  app = serveCore({ bank, name: "Test core", tariff: sandboxTariff });
  app.addHook("preHandler", async (request, reply) => {
    const found = raw?.(request.url);
    if (found) return reply.code(found.status).type("application/json").send(found.body);
    return undefined;
  });
  url = await app.listen({ port: 0, host: "127.0.0.1" });
  http = await connect();
});
after(async () => {
  await http?.core.close?.();
  await app?.close();
});

type Said = { left: string[]; invalid: unknown[] };
async function call(name: CallName, given: readonly unknown[], said: Said = nothing()) {
  const made = http.core[name] as (...all: readonly unknown[]) => Promise<unknown>;
  return http.reader(name, given, await made(...given), {
    onLeftOut: ({ item, reason }) => said.left.push(`${item}: ${reason}`),
    onInvalidOutcome: (_call, paymentId) => said.invalid.push(paymentId),
  });
}
const nothing = (): Said => ({ left: [], invalid: [] });

for (const name of names) {
  test(`over HTTP, the core gets the arguments of ${name}, and Aldgate its answer`, async () => {
    const { given, answer } = samples[name];
    let received: unknown;
    answerOf = (_, all) => {
      received = all;
      return answer;
    };
    assert.deepEqual(await call(name, given), answer);
    assert.deepEqual(received, given);
  });
}

test("the core says in about what it has, and charges need no call", () => {
  assert.equal(http.name, "Test core");
  assert.equal(http.core.about?.parts.includes("payees"), true);
  assert.deepEqual(http.core.exchangeCurrencies, ["GBP", "JPY"]);
  assert.equal(http.core.readsContext, true);
  assert.equal(http.core.attachesData, true);
  const payment = { kind: "domestic-payment", localInstrument: "UK.OBIE.CHAPS" } as const;
  const rest = { network: null, chargeBearer: null, isUrgent: false, amount: null };
  assert.deepEqual(http.core.chargesOf?.({ ...payment, ...rest }), [
    {
      chargeBearer: "BorneByDebtor",
      type: "UK.OBIE.CHAPSOut",
      amount: { amountMinor: 2000n, currency: "GBP" },
    },
  ]);
});

const outcomes = ["refused", "retry", "unknown"] as const;
for (const outcome of outcomes) {
  test(`an error of the core with the outcome ${outcome} has it at Aldgate too`, async () => {
    answerOf = () => {
      throw new BankError(outcome, "no such luck");
    };
    await assert.rejects(call("ask", [["p"]]), (error: Error) => {
      assert.equal(bankErrorOutcome(error), outcome);
      assert.match(error.message, /POST \/payments\/ask .*no such luck/);
      return true;
    });
  });
}

const page = "<html>Not found</html>";
const settledAs = (text: string): string => `{"outcomes":[{"paymentId":"p",${text}}]}`;
const failures: [string, { status: number; body: string | Buffer }, string][] = [
  ["a page with 404, as of a gateway", { status: 404, body: page }, "unknown"],
  ["400 without a problem document", { status: 400, body: "{}" }, "unknown"],
  ["401", { status: 401, body: "{}" }, "retry"],
  ["429", { status: 429, body: "" }, "retry"],
  ["503", { status: 503, body: page }, "retry"],
  ["502", { status: 502, body: page }, "unknown"],
  ["500 that says retry", { status: 500, body: '{"outcome":"retry"}' }, "retry"],
  ["409 that says refused", { status: 409, body: '{"outcome":"refused","title":"x"}' }, "refused"],
  ["an outcome that is none", { status: 409, body: '{"outcome":"maybe"}' }, "unknown"],
  ["200 with a page", { status: 200, body: page }, "unknown"],
  [
    "200 with text that is not UTF-8",
    { status: 200, body: Buffer.from(settledAs('"state":"unknown","note":"\u00e9"'), "latin1") },
    "unknown",
  ],
  [
    "200 with two states of one payment",
    { status: 200, body: settledAs('"state":"unknown","state":"settled","posted":true') },
    "unknown",
  ],
];
for (const [what, answer, outcome] of failures) {
  test(`${what} counts as ${outcome}`, async () => {
    raw = () => answer;
    try {
      await assert.rejects(call("ask", [["p"]]), (error) => bankErrorOutcome(error) === outcome);
    } finally {
      raw = undefined;
    }
  });
}

test("a core that cannot be reached has done nothing", async () => {
  await assert.rejects(connect("http://127.0.0.1:1"), (error) => {
    assert.equal(bankErrorOutcome(error), "retry");
    return true;
  });
});

test("outcomes may come in any order, and a missing, wrong or doubled one is in doubt alone", async () => {
  const settled = (paymentId: string) => ({ paymentId, state: "settled", posted: true });
  const found = [settled("p4"), settled("p1"), settled("p3"), settled("p3"), { paymentId: "p5" }];
  raw = () => ({ status: 200, body: JSON.stringify({ outcomes: found }) });
  const said = nothing();
  try {
    const inDoubt = { state: "failed", inDoubt: true };
    const isSettled = { state: "settled", posted: true };
    assert.deepEqual(await call("ask", [["p1", "p2", "p3", "p4", "p5"]], said), [
      isSettled,
      inDoubt,
      inDoubt,
      isSettled,
      inDoubt,
    ]);
  } finally {
    raw = undefined;
  }
  assert.deepEqual(said.invalid, ["p2", "p3", "p5"]);
});

test("a doubled outcome is in doubt, even if one of the two is malformed", async () => {
  const malformed = { paymentId: "p1", state: "refused" };
  const settled = { paymentId: "p1", state: "settled", posted: true };
  const inDoubt = [{ state: "failed", inDoubt: true }];
  try {
    for (const found of [
      [settled, malformed],
      [malformed, settled],
      [null, settled, settled],
    ]) {
      raw = () => ({ status: 200, body: JSON.stringify({ outcomes: found }) });
      const said = nothing();
      assert.deepEqual(await call("ask", [["p1"]], said), inDoubt);
      assert.deepEqual(said.invalid, ["p1"]);
    }
  } finally {
    raw = undefined;
  }
});

test("an outcome whose reason cannot be stored is in doubt alone", async () => {
  const refused = (paymentId: string, text: string) => ({
    paymentId,
    state: "refused",
    reason: { code: "AM04", text },
  });
  const found = [refused("p1", "no\0funds"), refused("p2", "no funds")];
  raw = () => ({ status: 200, body: JSON.stringify({ outcomes: found }) });
  try {
    assert.deepEqual(await call("ask", [["p1", "p2"]]), [
      { state: "failed", inDoubt: true },
      { state: "refused", reason: { code: "AM04", text: "no funds" } },
    ]);
  } finally {
    raw = undefined;
  }
});

test("an account that breaks a rule is left out, and the log names the rule", async () => {
  const [one, other] = samples.listAccounts.answer;
  answerOf = () => [{ ...one, status: "Frozen" }, other];
  const said = nothing();
  assert.deepEqual(await call("listAccounts", ["c1"], said), [other]);
  assert.match(said.left.join(), /^a\/1 %2F: \/status must be/);
});

test("of many items that break a rule, the log names the first 20, with ids of 100 characters", async () => {
  const accounts = Array.from({ length: 30 }, () => ({ accountId: "a".repeat(1000) }));
  raw = () => ({ status: 200, body: JSON.stringify({ accounts }) });
  const said = nothing();
  try {
    assert.deepEqual(await call("listAccounts", ["c1"], said), []);
  } finally {
    raw = undefined;
  }
  assert.equal(said.left.length, 20);
  assert.match(said.left.join(), /^a{100}: /);
});

test("an answer with more than 10,000 items is invalid", async () => {
  raw = () => ({ status: 200, body: JSON.stringify({ accounts: Array(10_001).fill(0) }) });
  try {
    await assert.rejects(call("listAccounts", ["c1"]), /10000 items/);
  } finally {
    raw = undefined;
  }
});

test("an amount with more decimals than its currency is no answer", async () => {
  const debit = { amount: "1.5", currency: "JPY" };
  const price = { debit, charge: null, credit: debit, deducted: null, rate: null };
  raw = () => ({ status: 200, body: JSON.stringify({ price }) });
  try {
    await assert.rejects(call("price", samples.price.given), /must not have more decimals/);
  } finally {
    raw = undefined;
  }
});

async function send(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "aldgate-contract": "1", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const type = response.headers.get("content-type");
  return { status: response.status, type, body: (await response.json()) as { title: string } };
}

test("the served core refuses an unknown version of the contract", async () => {
  const { path } = callRows.verify;
  const body = { challengeId: "c", code: "1" };
  const { status, type, body: said } = await send(path, body, { "aldgate-contract": "2" });
  assert.equal(status, 400);
  assert.match(type ?? "", /^application\/problem\+json/);
  assert.match(said.title, /Aldgate-Contract must be 1, but it is "2"/);
});

const wrong: [string, unknown, RegExp][] = [
  ["a body that is not JSON", "{", /JSON/],
  ["a missing member", { customerId: "c" }, /subject/],
  ["an unknown act", { customerId: "c", subject: { act: "sing" } }, /subject/],
];
for (const [what, body, title] of wrong) {
  test(`the served core refuses ${what}, and names it`, async () => {
    const { status, body: said } = await send(callRows.challenge.path, body);
    assert.equal(status, 400);
    assert.match(said.title, title);
    assert.equal((said as { outcome?: string }).outcome, "refused");
  });
}

test("the served core does not tell what its own errors say", async () => {
  answerOf = () => {
    throw new Error("ada's password is wrong");
  };
  const { status, body } = await send(callRows.loadCustomer.path, { customerId: "c" });
  assert.equal(status, 500);
  assert.deepEqual(body, { title: "the core failed", status: 500, outcome: "unknown" });
});

test("a core whose about does not fit the contract is named with the rule", async () => {
  raw = (path) =>
    path === otherRows.readAbout.path
      ? { status: 200, body: '{"contract":1,"name":"x","parts":["loans"]}' }
      : undefined;
  try {
    await assert.rejects(connect(), /GET \/about does not fit the contract: \/parts\/0 must be/);
  } finally {
    raw = undefined;
  }
});

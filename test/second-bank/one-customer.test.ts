import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type GuardedBank, guardBank } from "#src/bank/guarded-bank.ts";
import type { Bank, PaymentInstruction, PaymentOutcome } from "#src/bank/port.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { paperBank } from "#test/auth/paper-bank.ts";
import type { TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { openOver, type SecondBank, startSecondBank } from "./second-bank.ts";

// A core that throws or hangs for one customer, without saying that it concerns only this customer.

const log = { error: () => undefined, warn: () => undefined };
const deadlinesMs = {
  identify: 1000,
  read: 1000,
  document: 1000,
  quote: 1000,
  execute: 1000,
  tell: 1000,
};
const failures = 5;
const longPause = 3_600_000;

/** A guarded core that fails for the customers for whom `fails` returns true. */
function guard(fails: (customer: string) => boolean, retryMs = longPause): GuardedBank {
  const answer =
    <T>(of: (name: string) => T) =>
    async (name: string): Promise<T> => {
      if (fails(name)) throw new Error(`the core fails for ${name}`);
      return of(name);
    };
  const reserved: PaymentOutcome = { state: "reserved" };
  const core: Bank = {
    ...paperBank,
    listBeneficiaries: answer(() => []),
    loadCustomer: answer(() => null),
    loadFunds: (accountIds) => answer(() => new Map())(accountIds.join()),
    challenge: async (customerId) => ({
      challengeId: `${customerId}/${Math.random()}`,
      method: "code" as const,
      expiresAt: Temporal.Now.instant(),
    }),
    verify: (challengeId) => answer(() => true)(challengeId.split("/")[0] ?? ""),
    listAccounts: async (customerId) => {
      const [own] = await paperBank.listAccounts("cust-anna");
      return own
        ? Array.from({ length: 9 }, (_, index) => ({ ...own, accountId: `${customerId}/${index}` }))
        : [];
    },
    confirmFunds: (accountId) => answer(() => true)(accountId.split("/")[0] ?? ""),
    quoteRate: async () => {
      if (fails("rates")) throw new Error("the core has no rates");
      return null;
    },
    reserve: async (payments) => {
      const bad = payments.find(({ debtorAccountId }) => fails(debtorAccountId));
      if (bad) throw new Error("the core fails for a payment of the batch");
      return payments.map(() => reserved);
    },
  };
  const limits = { callsAtOnce: 64, failures, retryMs };
  return guardBank(core, { ...limits, deadlinesMs, log });
}

const callsAtOnce = 64;

/** A guarded core that never answers for the customers for whom `hangs` returns true. */
function guardHanging(hangs: (customer: string) => boolean): GuardedBank {
  const core: Bank = {
    ...paperBank,
    listBeneficiaries: (customer) => (hangs(customer) ? endless() : Promise.resolve([])),
    reserve: async (payments) => {
      if (payments.some(({ debtorAccountId }) => hangs(debtorAccountId))) await endless();
      return payments.map(() => ({ state: "reserved" }));
    },
  };
  const short = { ...deadlinesMs, read: 40, execute: 40 };
  return guardBank(core, { callsAtOnce, failures, retryMs: longPause, deadlinesMs: short, log });
}

const endless = (): Promise<never> => new Promise(() => undefined);

/** Makes a call that may fail, and says how it went. */
const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "answered",
    (error: Error) => (/paused/.test(String(error.cause)) ? "paused" : "failed"),
  );

const amount = { amountMinor: 100n, currency: "GBP" };
const subject = { type: "consent", id: "c" } as never;

const many = 1000;

// the calls of one customer, prepared by other calls, which succeed
const prepared: Record<string, (bank: Bank) => Promise<(() => Promise<unknown>)[]>> = {
  "a list of the customer": async (bank) =>
    Array.from({ length: many }, () => () => bank.listBeneficiaries("bad")),
  "codes of many challenges": async (bank) => {
    const asked = Array.from({ length: many }, () =>
      bank.challenge("bad", subject, { subjectHash: "" }),
    );
    return (await Promise.all(asked)).map(
      ({ challengeId }) =>
        () =>
          bank.verify(challengeId, "123456"),
    );
  },
  "the funds of nine accounts": async (bank) => {
    const accounts = await bank.listAccounts("bad");
    return Array.from({ length: many }, (_, index) => {
      const one = accounts[index % accounts.length];
      return () => bank.confirmFunds(one?.accountId ?? "", amount);
    });
  },
};

for (const [name, prepare] of Object.entries(prepared)) {
  test(`a core that throws 1,000 times for one customer serves the others: ${name}`, async () => {
    const { bank } = guard((customer) => customer === "bad");
    const calls = await prepare(bank);
    for (const call of calls) assert.equal(await outcomeOf(call()), "failed");
    assert.equal(await outcomeOf(bank.listBeneficiaries("good")), "answered");
    assert.equal(await outcomeOf(bank.loadCustomer("good")), "answered");
  });
}

test("a core that throws for one customer fewer than the limit of customers serves the others", async () => {
  const { bank, failuresInRow } = guard((customer) => customer.startsWith("bad"));
  for (let tries = 0; tries < 400; tries += 1) {
    await outcomeOf(bank.listBeneficiaries(`bad ${tries % (failures - 1)}`));
  }
  assert.equal(failuresInRow("read"), 400, "the metric shows every failure");
  assert.equal(await outcomeOf(bank.listBeneficiaries("good")), "answered");
});

test("an outage, in which the calls of several customers fail, opens the breaker", async () => {
  const { bank, listFailing } = guard(() => true);
  for (let customer = 0; customer < failures; customer += 1) {
    assert.deepEqual(listFailing(), []);
    assert.equal(await outcomeOf(bank.listBeneficiaries(`${customer}`)), "failed");
  }
  assert.deepEqual(listFailing(), ["read"]);
  assert.equal(await outcomeOf(bank.listBeneficiaries("another")), "paused");
});

test("a call that concerns no customer counts each time", async () => {
  const { bank, listFailing } = guard((name) => name === "rates");
  const pair = { unitCurrency: "GBP", otherCurrency: "EUR" };
  for (let tries = 0; tries < failures; tries += 1) {
    assert.equal(await outcomeOf(bank.quoteRate(pair, "Actual")), "failed");
  }
  assert.deepEqual(listFailing(), ["quote"]);
});

test("a core that hangs for fewer than the limit of customers serves the others, meanwhile and afterwards", async () => {
  const { bank, listFailing, failuresInRow } = guardHanging((name) => name.startsWith("bad"));
  // all at once, and each customer asks more often than there are slots
  const hanging = Array.from({ length: (failures - 1) * callsAtOnce * 2 }, (_, index) =>
    outcomeOf(bank.listBeneficiaries(`bad ${index % (failures - 1)}`)),
  );
  for (let customer = 0; customer < 200; customer += 1) {
    assert.equal(await outcomeOf(bank.listBeneficiaries(`good ${customer}`)), "answered");
  }
  assert.deepEqual(new Set(await Promise.all(hanging)), new Set(["failed"]));
  for (let tries = 0; tries < 3 * failures; tries += 1) {
    assert.equal(await outcomeOf(bank.listBeneficiaries("bad 1")), "failed");
  }
  assert.ok(failuresInRow("read") >= 3 * failures, "the metric shows every failure");
  assert.deepEqual(listFailing(), []);
  assert.equal(await outcomeOf(bank.listBeneficiaries("good")), "answered");
});

test("payments of one customer on which the core hangs do not pause those of others", async () => {
  const { bank, admits } = guardHanging((customer) => customer === "bad");
  for (let tries = 0; tries < 3 * failures; tries += 1) {
    assert.equal(await outcomeOf(bank.reserve([payment("bad", tries)])), "failed");
  }
  assert.equal(admits("execute"), true);
  assert.equal(await outcomeOf(bank.reserve([payment("good", 0)])), "answered");
});

test("calls of several customers that hang open the breaker", async () => {
  const { bank, listFailing } = guardHanging(() => true);
  for (let customer = 0; customer < failures; customer += 1) {
    assert.deepEqual(listFailing(), []);
    assert.equal(await outcomeOf(bank.listBeneficiaries(`${customer}`)), "failed");
  }
  assert.deepEqual(listFailing(), ["read"]);
});

test("calls of one customer that wait for a slot are made in turn", async () => {
  const { bank } = guardHanging(() => false);
  const calls = Array.from({ length: 500 }, () => bank.listBeneficiaries("busy"));
  for (const answer of await Promise.all(calls)) assert.deepEqual(answer, []);
});

test("after an outage, a customer on whom the core still fails does not keep the others out", async () => {
  let isOut = true;
  const { bank, listFailing } = guard((name) => isOut || name === "bad", 40);
  for (let customer = 0; customer < failures; customer += 1) {
    await outcomeOf(bank.listBeneficiaries(`${customer}`));
  }
  assert.deepEqual(listFailing(), ["read"]);
  isOut = false;
  // the bad customer always asks first
  const outcomes = new Set<string>();
  while (!outcomes.has("answered")) {
    await outcomeOf(bank.listBeneficiaries("bad"));
    outcomes.add(await outcomeOf(bank.listBeneficiaries("good")));
  }
  assert.deepEqual(listFailing(), []);
});

const payment = (customer: string, index: number): PaymentInstruction => ({
  paymentId: `${customer}-${index}`,
  debtorAccountId: customer,
  amount,
  charge: null,
  creditor: { schemeName: "", identification: "", name: null, secondaryIdentification: null },
  endToEndId: null,
  reference: null,
  localInstrument: null,
  international: null,
});

test("payments of one customer on which the core throws do not pause those of others, alone or in batches", async () => {
  const { bank, admits } = guard((customer) => customer === "bad");
  const others = Array.from({ length: 8 }, (_, index) => payment(`good ${index}`, 0));
  for (let size = others.length; size > 0; size = Math.floor(size / 2)) {
    const batch = [...others.slice(0, size), payment("bad", size)];
    assert.equal(await outcomeOf(bank.reserve(batch)), "failed");
  }
  for (let tries = 0; tries < 20; tries += 1) {
    assert.equal(await outcomeOf(bank.reserve([payment("bad", tries)])), "failed");
  }
  assert.equal(admits("execute"), true);
  assert.equal(await outcomeOf(bank.reserve(others)), "answered");
});

test("batches that fail as a whole and in parts pause the payments", async () => {
  const { bank, admits } = guard(() => true);
  const all = Array.from({ length: 8 }, (_, index) => payment(`customer ${index}`, 0));
  for (const size of [8, 4, 2, 1]) {
    for (let at = 0; at < all.length; at += size) {
      await outcomeOf(bank.reserve(all.slice(at, at + size)));
    }
  }
  assert.equal(admits("execute"), false);
});

let second: SecondBank;
let bank: TestBank;
let client: TppClient;
before(async () => {
  second = await startSecondBank();
  bank = await openOver(second, {
    BANK_BREAKER_FAILURES: 2,
    BANK_BREAKER_RETRY_MS: 60_000,
    BANK_READ_DEADLINE_MS: 1000,
  });
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});

/** Opens the page on which a customer chooses accounts; says whether the bank served it. */
async function isServed(customer: string, accounts: string[]): Promise<boolean> {
  const consentId = await lodgeAccess(client);
  const request = { scope: "accounts" as const, consentId, customer, accounts };
  return bank.approve(client, request).then(
    () => true,
    () => false,
  );
}

const isUp = async (): Promise<boolean> => {
  const metrics = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  return /aldgate_bank_up\{group="read"\} 1/.test(metrics);
};

for (const how of ["fail", "hang"] as const) {
  test(`a customer for whom the core's calls ${how} gets errors, and another one is served`, async () => {
    await second.fail({ call: "listAccounts", how, about: "second-ada" });
    for (let tries = 0; tries < 4; tries += 1) {
      assert.equal(await isServed("ada", ["second-current"]), false);
    }
    assert.equal(await isServed("bob", ["second-bob"]), true);
    assert.equal(await isUp(), true);
  });
}

test("an outage pauses the calls for all", async () => {
  await second.fail({ call: "listAccounts", how: "hang" });
  assert.equal(await isServed("ada", ["second-current"]), false);
  assert.equal(await isUp(), true);
  assert.equal(await isServed("bob", ["second-bob"]), false);
  assert.equal(await isUp(), false);
});

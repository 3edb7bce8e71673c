// A card issuer cannot find out the balance by trying amounts: its questions are limited.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import { admitUnattended } from "#src/consents/unattended-access.ts";
import { listConfirmations } from "#src/funds/confirmation-record.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { countUnattendedDays } from "#test/consents/stored-rows.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { CardIssuer, named } from "./card-issuer.ts";
import { versions } from "./versions.ts";

const perDay = 5;

let bank: TestBank;
let second: TestBank;
let first: CardIssuer;
let client: TppClient;
let account: object;
before(async () => {
  bank = await openBank({ FUNDS_CONFIRMATION_DAILY_LIMIT: perDay });
  // another process of the same bank
  // the first bank closes the database that they share
  const shared = { ...bank.database, close: async () => undefined };
  second = await openBank({ FUNDS_CONFIRMATION_DAILY_LIMIT: perDay }, shared);
  client = await bank.createTpp({ certificateBound: false });
  first = new CardIssuer(bank, client, "");
  account = named((await bank.currentAccounts("amara"))[0]?.identification ?? null);
});
after(async () => {
  await second?.close();
  await bank?.close();
});

// before the others, which move the clock of one process first
test("two processes never answer more questions than the limit, even at once and on both versions", async () => {
  const atSecond = new CardIssuer(second, new TppClient(second, client.tpp), "");
  try {
    const consent = await first.through("/v3.1/cbpii").authorised("amara", account);
    const asked = Array.from({ length: 6 * perDay }, (_, turn) => {
      const issuer = turn % 2 === 0 ? first : atSecond;
      const path = turn % 3 === 0 ? "/v3.1/cbpii" : "/v4.0/cbpii";
      return issuer.through(path).ask(consent, `${turn + 1}.00`);
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, perDay, `${statuses}`);
    assert.equal(statuses.filter((status) => status === 429).length, 5 * perDay, `${statuses}`);
  } finally {
    atSecond.client.close();
  }
});

for (const { path } of versions) {
  test(`C-084: a TPP may ask only so often per day through a consent, and again the next day (${path})`, async () => {
    const issuer = first.through(path);
    const consent = await issuer.authorised("amara", account);
    const statuses: number[] = [];
    for (let turn = 0; turn < perDay; turn += 1) {
      statuses.push((await issuer.ask(consent, `${turn + 1}.00`)).status);
    }
    assert.deepEqual(statuses, Array(perDay).fill(201));
    const refused = await issuer.ask(consent, "6.00");
    assert.deepEqual([refused.status, refused.raw.toString()], [429, ""]);
    const seconds = Number(refused.headers["retry-after"]);
    const midnight = bank.clock.now().toZonedDateTimeISO("UTC").startOfDay().add({ days: 1 });
    const left = bank.clock.now().until(midnight.toInstant()).total("seconds");
    assert.ok(Number.isInteger(seconds) && seconds >= left && seconds > 0, `${seconds}, ${left}`);
    const stored = await listConfirmations(bank.database, consent.consentId, 1000);
    assert.equal(stored.length, perDay, "what the bank does not answer is not stored");
    // another consent has an allowance of its own
    const another = await issuer.authorised("amara", account);
    assert.equal((await issuer.ask(another, "1.00")).status, 201);
    await bank.advance(`PT${seconds}S`);
    const { access_token: token } = await client.refresh(consent.refreshToken ?? "");
    assert.equal((await issuer.ask({ ...consent, token }, "1.00")).status, 201);
  });
}

test("questions in another currency and with a used reference count too", async () => {
  const issuer = first.through("/v4.0/cbpii");
  const consent = await issuer.authorised("amara", account);
  const reference = "Used";
  const questions = [{ reference }, { reference }, { currency: "USD" }, { currency: "USD" }, {}];
  const statuses: number[] = [];
  for (const question of [...questions, {}]) {
    statuses.push((await issuer.ask(consent, "1.00", question)).status);
  }
  assert.deepEqual(statuses, [201, 400, 400, 400, 201, 429]);
});

test("a process whose clock is behind at midnight does not get another allowance", async () => {
  const consentId = await first.through("/v4.0/cbpii").consentId(account);
  const access = { consentId, operationId: "any", accountId: null };
  const midnight = Temporal.Instant.from("2027-01-01T00:00:00Z");
  const admitted = new Map([
    ["before", 0],
    ["after", 0],
  ]);
  for (let turn = 0; turn < 3 * perDay; turn += 1) {
    for (const [which, count] of admitted) {
      const now = which === "before" ? midnight.subtract({ seconds: 1 }) : midnight;
      if (!(await admitUnattended(bank.database, perDay, access, now))) continue;
      admitted.set(which, count + 1);
    }
  }
  assert.deepEqual([...admitted.values()], [perDay, perDay]);
});

test("0 means no limit, and the default is 100", async () => {
  assert.equal(loadConfig({}).FUNDS_CONFIRMATION_DAILY_LIMIT, 100);
  const open = await openBank({ FUNDS_CONFIRMATION_DAILY_LIMIT: 0 });
  try {
    const issuer = new CardIssuer(open, await open.createTpp(), "/v4.0/cbpii");
    const own = named((await open.currentAccounts("amara"))[0]?.identification ?? null);
    const consent = await issuer.authorised("amara", own);
    for (let turn = 0; turn < 120; turn += 1) {
      assert.equal((await issuer.ask(consent, "1.00")).status, 201);
    }
    assert.equal(await countUnattendedDays(open.database), 0);
  } finally {
    await open.close();
  }
});

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import type { AccountsBank, Answer } from "#test/accounts/fixture.ts";
import { startServer } from "#test/attacks/postgres-server.ts";
import { History } from "#test/model/history.ts";
import { describe as inWords, judge } from "#test/model/judge.ts";
import { tellPage } from "#test/model/read-call.ts";
import { onPostgres } from "#test/postgres.ts";
import { patienceMs, until } from "#test/until.ts";
import {
  type Cluster,
  command,
  follow,
  openCluster,
  pause,
  promote,
  resume,
  standbysOf,
  untilUsed,
} from "./standbys-bed.ts";

const skip = onPostgres ? false : "needs PostgreSQL servers";

// an account, and the second of its newest transaction
let cluster: Cluster;
let one: AccountsBank;
let other: AccountsBank;
let customerId: string;
let accountId: string;
let second = 0;

// far below the time limit of a statement, and enough for a busy machine
const longMs = 10_000;

const start = Temporal.Instant.from("2026-11-21T09:00:00Z");
const at = (count: number): string => start.add({ seconds: count }).toString();
const path = (): string => `/accounts/${accountId}/transactions`;

/** Delivers one more transaction. Returns its time. */
async function deliver(bank = one): Promise<string> {
  second += 1;
  const time = at(second);
  await bank.addTransactions(accountId, [{ at: time }]);
  return time;
}

const consent = () => one.addConsent({ customerId, accountIds: [accountId] });

const newestOf = ({ body }: Answer): string => tellPage(body).newest ?? "";

const sameTime = (text: string, time: string): boolean =>
  Temporal.Instant.compare(Temporal.Instant.from(text), Temporal.Instant.from(time)) === 0;

const readsOf = ({ database }: AccountsBank) => {
  const use = present(database.standbyUse(), "a bank with standbys");
  return { standbys: use.standbys.map(({ reads }) => reads), primary: use.readsOnPrimary };
};

async function open(): Promise<void> {
  cluster = await openCluster();
  [one, other] = cluster.banks;
  customerId = await one.addCustomer();
  accountId = await one.addAccount(customerId);
  second = 0;
  await deliver();
}

describe("reads from two standbys", { skip }, () => {
  before(open);
  after(() => cluster?.close());

  test("reads are divided between the standbys that keep up, and the primary answers none", async () => {
    const { token } = await consent();
    let before = readsOf(one);
    const readAll = async () => {
      before = readsOf(one);
      const answers = await Promise.all(Array.from({ length: 100 }, () => one.get(path(), token)));
      for (const answer of answers) assert.equal(answer.status, 200, answer.text);
      return readsOf(one);
    };
    let reads = await readAll(); // on a busy machine, a standby may need too long
    const deadline = performance.now() + patienceMs / 2;
    while (reads.primary !== before.primary && performance.now() < deadline)
      reads = await readAll();
    assert.equal(reads.primary, before.primary);
    for (const [index, count] of reads.standbys.entries()) {
      const grown = count - (before.standbys[index] ?? 0);
      assert.ok(grown >= 20 && grown <= 80, `standby ${index} answered ${grown} of 100`);
    }
  });

  test("what the feed has delivered is in the next page, whichever standby answers", async () => {
    const { token } = await consent();
    for (let count = 0; count < 100; count += 1) {
      const time = await deliver();
      const pages = await Promise.all([one.get(path(), token), other.get(path(), token)]);
      for (const page of pages) {
        assert.ok(sameTime(newestOf(page), time), `${newestOf(page)}, not ${time}`);
      }
    }
  });

  test("no read that is sent after a revocation's answer is served, although standbys lag", {
    timeout: patienceMs,
  }, async () => {
    const clientToken = await one.clientToken();
    const history = new History();
    const lagging = lag();
    let served = 0;
    const race = async (): Promise<void> => {
      const { consentId, token } = await consent();
      recordToken(history, consentId, token);
      const read = async (bank: AccountsBank): Promise<number> =>
        (await page(history, bank, token)).status;
      const racing = [read(one), read(other), read(one)];
      const end = history.send("tpp-1", "revoke", { consentId });
      const deleted = await one.call(
        "DELETE",
        `/account-access-consents/${consentId}`,
        clientToken,
      );
      assert.equal(deleted.status, 204, deleted.text);
      end({ outcome: "ok", told: {} });
      const late = await Promise.all([read(other), read(one), read(other), read(one)]);
      served += late.filter((status) => status === 200).length;
      await Promise.all(racing);
    };
    for (let round = 0; round < 30; round += 1) {
      await Promise.all(Array.from({ length: 10 }, race));
    }
    await lagging.end();
    assert.equal(served, 0);
    assert.deepEqual(judge(history.calls()).map(inWords), []);
    const { standbys } = readsOf(one);
    assert.ok(
      standbys.every((reads) => reads > 100),
      `${standbys}`,
    );
  });

  test("no page is older than one before it, although one standby stops and goes on", {
    timeout: patienceMs,
  }, async (context) => {
    const history = new History();
    const { consentId, token } = await consent();
    recordToken(history, consentId, token);
    const lagging = lag();
    let isOver = false;
    const write = async (): Promise<void> => {
      while (!isOver) {
        const time = at(second + 1);
        const end = history.send("core", "deliver", { accountId, at: time });
        await deliver();
        end({ outcome: "ok", told: {} });
        await delay(5);
      }
    };
    const readOn = async (bank: AccountsBank): Promise<void> => {
      while (!isOver) {
        const { status } = await page(history, bank, token);
        assert.equal(status, 200);
      }
    };
    const before = readsOf(one);
    const work = [write(), readOn(one), readOn(other), readOn(one), readOn(other)];
    await delay(4000);
    isOver = true;
    await Promise.all(work);
    await lagging.end();
    assert.deepEqual(judge(history.calls()).map(inWords), []);
    const reads = readsOf(one);
    context.diagnostic(`${history.calls().length} calls; before ${JSON.stringify(before)}, after
      ${JSON.stringify(reads)}`);
    assert.ok(
      reads.standbys.some((count, index) => count > (before.standbys[index] ?? 0)),
      "a standby has answered",
    );
  });

  test("while all standbys are behind, the primary answers, and they are used again later", async () => {
    const { token } = await consent();
    for (const standby of cluster.standbys) await pause(standby);
    const time = await deliver();
    const startedAt = performance.now();
    const answer = await one.get(path(), token);
    const milliseconds = performance.now() - startedAt;
    assert.ok(sameTime(newestOf(answer), time));
    assert.ok(milliseconds < longMs, `${milliseconds} ms`);
    assert.ok(standbysOf(one.database).some(({ state }) => state === "behind"));
    await until(
      () => one.get(path(), token).then(() => standbysOf(one.database)),
      (standbys) =>
        standbys.every(({ state, bytesBehind }) => state === "behind" && bytesBehind > 0),
    );
    assert.match(standbysOf(one.database)[0]?.reason ?? "", /^it lacks a part of the/);
    for (const standby of cluster.standbys) await resume(standby);
    await untilUsed(one.database, 2);
  });

  test("a read that the standby cancels for the primary's changes is answered by the primary", async () => {
    const [setting] = await command(cluster.standbys[0], "show max_standby_streaming_delay");
    assert.deepEqual(setting, { max_standby_streaming_delay: "0" });
    await command(
      cluster.primary,
      "create table thing as select generate_series(1, 1000) as n; grant select on thing to public",
      "bank",
    );
    const answered = one.database.readOnStandby<{ isStandby: boolean; count: bigint }>(sql`
      select pg_is_in_recovery() as "isStandby", count(*) as count
      from thing, pg_sleep(${0.6}) where n > ${0}`);
    await delay(200);
    await command(cluster.primary, "delete from thing where n > 500", "bank");
    await command(cluster.primary, "vacuum thing", "bank");
    const [row] = await answered;
    assert.deepEqual(row, { isStandby: false, count: 500n });
  });

  test("a standby of another server is not used, and the reason names the setting", {
    timeout: patienceMs,
  }, async () => {
    const foreign = await startServer();
    await foreign.createDatabase("bank");
    const foreignStandby = await startServer({ standbyOf: foreign });
    const url = cluster.primary.server.urlOf("bank");
    const database = await openPostgres(url, 1, {}, foreignStandby.urlOf("bank"));
    try {
      const reasonOf = () => standbysOf(database)[0]?.reason ?? "";
      const reason = await until(reasonOf, (text) => text.includes("it is not"));
      assert.match(reason, /it is not a standby of the server in DATABASE_URL$/);
      const read = database.readOnStandby<{ isStandby: boolean }>(
        sql`select pg_is_in_recovery() as "isStandby" where ${true}`,
      );
      assert.deepEqual(await read, [{ isStandby: false }]);
    } finally {
      await database.close();
      await foreignStandby.stop();
      await foreign.stop();
    }
  });

  test("a standby that falls silent holds up no read for long, and is used again", {
    timeout: patienceMs,
  }, async () => {
    await untilUsed(one.database, 2);
    const { token } = await consent();
    const [silent] = cluster.standbys;
    silent.proxy.silence();
    for (let count = 0; count < 20; count += 1) {
      const startedAt = performance.now();
      const answer = await one.get(path(), token);
      assert.equal(answer.status, 200, answer.text);
      const milliseconds = performance.now() - startedAt;
      assert.ok(milliseconds < longMs, `${milliseconds} ms`);
    }
    const reports = standbysOf(one.database);
    assert.deepEqual(
      reports.map(({ state }) => state),
      ["not answering", "in use"],
    );
    silent.proxy.resume();
    await untilUsed(one.database, 2);
  });

  test("when a standby is killed under load, every read is answered, and it is used again after its restart", {
    timeout: patienceMs,
  }, async () => {
    await untilUsed(one.database, 2);
    await untilUsed(other.database, 2);
    const { token } = await consent();
    const [killed] = cluster.standbys;
    let isOver = false;
    const statuses = new Map<number, number>();
    const readOn = async (bank: AccountsBank): Promise<void> => {
      while (!isOver) {
        const { status } = await bank.get(path(), token);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const work = [one, other, one, other].map(readOn);
    await delay(500);
    await killed.server.kill();
    await delay(1000);
    assert.equal(standbysOf(one.database)[0]?.state, "not answering");
    await killed.server.start();
    await untilUsed(one.database, 2);
    isOver = true;
    await Promise.all(work);
    assert.deepEqual([...statuses.keys()], [200]);
  });
});

describe("reads from standbys when the primary is lost", { skip }, () => {
  beforeEach(open);
  afterEach(() => cluster?.close());

  /** Kills the primary, and promotes the first standby. */
  async function failOver(): Promise<void> {
    await cluster.primary.server.kill();
    await promote(cluster.standbys[0]);
    const isBack = ({ database }: AccountsBank) =>
      database.query(sql`select 1`).then(
        () => true,
        () => false,
      );
    for (const bank of [one, other]) await until(() => isBack(bank), Boolean);
  }

  test("a standby that follows the new primary is used again, and the new primary is not", {
    timeout: patienceMs,
  }, async () => {
    const { token } = await consent();
    await failOver();
    await follow(cluster.standbys[1], cluster.standbys[0]);
    for (const { database } of [one, other]) await untilUsed(database, 1);
    const before = readsOf(one);
    for (let count = 0; count < 20; count += 1) {
      const time = await deliver();
      for (const bank of [one, other]) {
        const newest = newestOf(await bank.get(path(), token));
        assert.ok(sameTime(newest, time), `${newest}, not ${time}`);
      }
    }
    const [promoted = 0, following = 0] = readsOf(one).standbys;
    assert.equal(promoted, before.standbys[0]);
    assert.ok(following > (before.standbys[1] ?? 0), `${following}`);
    assert.match(standbysOf(one.database)[0]?.reason ?? "", /it is not a standby/);
  });

  test("a standby that is past the place of the promotion is not used", {
    timeout: patienceMs,
  }, async () => {
    const { token } = await consent();
    // the other standby gets a transaction and a long part of the log that this one does not get
    await follow(cluster.standbys[0], null);
    const lost = await deliver();
    const filler = "create table filler as select n from generate_series(1, 50000) n";
    await command(cluster.primary, filler, "bank");
    await untilUsed(one.database, 1);
    assert.ok(sameTime(newestOf(await one.get(path(), token)), lost));
    await failOver();
    for (let count = 0; count < 50; count += 1) {
      const time = await deliver();
      for (const bank of [one, other]) {
        const answer = await bank.get(path(), token);
        assert.ok(sameTime(newestOf(answer), time), `${newestOf(answer)}, not ${time}`);
        assert.ok(!answer.text.includes(lost.slice(0, 19)), "a lost transaction is shown");
      }
      await delay(20);
    }
    for (const { state } of standbysOf(one.database)) assert.notEqual(state, "in use");
    const reason = () => standbysOf(one.database)[1]?.reason ?? "";
    await until(reason, (text) => text.includes("the promotion"));
  });
});

type Lag = { end(): Promise<void> };

/** Stops one standby after another for a short time, again and again. */
function lag(): Lag {
  let isOver = false;
  const work = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const standby = present(cluster.standbys[turn % 2], "a standby");
      await pause(standby);
      await delay(60);
      await resume(standby);
      await delay(150);
    }
  })();
  return {
    async end() {
      isOver = true;
      await work;
      for (const standby of cluster.standbys) await resume(standby);
    },
  };
}

/** Records that a token was issued for a consent that its customer has approved. */
function recordToken(history: History, consentId: string, token: string): void {
  const lodged = { kind: "account-access", use: "never", amount: null, limits: null } as const;
  const created = one.now.toString();
  history.note("tpp-1", "lodge", lodged, { consentId, status: "AWAU", created });
  history.note("tpp-1", "decide", { consentId, approves: true }, {});
  const asked = { grant: "authorization_code", by: consentId };
  history.note("tpp-1", "token", asked, { token, consentId, seconds: 3600 });
}

/** Reads a page and records it. */
async function page(history: History, bank: AccountsBank, token: string): Promise<Answer> {
  const end = history.send("tpp-1", "readData", { resource: path(), token });
  const answer = await bank.get(path(), token);
  if (answer.status === 200) end({ outcome: "ok", told: tellPage(answer.body) });
  else end({ outcome: "refused", reasons: { status: answer.status, codes: [] } });
  return answer;
}

// FACTS_MAX_AGE_SECONDS: account data that is too old is not shown as if it were the newest.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Value from "typebox/value";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { type Cluster, clusters } from "#src/account-store/feed.ts";
import { purgeFacts } from "#src/account-store/retention.ts";
import { accountEndpoints } from "#src/accounts/account-resources.ts";
import { isOfOneAccount } from "#src/accounts/resource.ts";
import { configSchema } from "#src/config/config.ts";
import type { Database } from "#src/storage/database.ts";
import { ageRemovals } from "#test/account-store/age-removals.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { AccountsBank } from "./fixture.ts";
import { versions } from "./versions.ts";

const maxAge = "600,balances=60";
const seconds = (cluster: Cluster): number => (cluster === "balances" ? 60 : 600);

let database: Database;
let bank: AccountsBank;
let customerId: string;
let accountIds: string[];
let tokens: Map<string, string>;

before(async () => {
  database = await openEmpty();
  bank = await AccountsBank.over(database, { maxAge });
  customerId = await bank.addCustomer();
  accountIds = [await bank.addAccount(customerId), await bank.addAccount(customerId)];
  tokens = new Map();
  for (const { id } of versions) {
    const { token } = await bank.through(id).addConsent({ customerId, accountIds });
    tokens.set(id, token);
  }
});
after(() => bank?.close());

/** Says how old each cluster of the first account is; the second one is always current. */
async function deliver(ageOf: (cluster: Cluster) => number): Promise<void> {
  const delivered = clusters.flatMap((cluster) => [
    {
      accountId: accountIds[0] ?? "",
      cluster,
      asOf: bank.now.subtract({ seconds: ageOf(cluster) }),
    },
    { accountId: accountIds[1] ?? "", cluster, asOf: "live" as const },
  ]);
  await createAccountFeed(database).apply({ delivered });
}

/** The endpoints without a part, whose items exist only in a statement. */
const endpoints = versions.flatMap(({ id }) =>
  accountEndpoints(id)
    .filter(({ part }) => !part)
    .map((endpoint) => ({ id, endpoint })),
);

type Tested = (typeof endpoints)[number];

const read = ({ id, endpoint }: Tested, accountId = accountIds[0] ?? "") =>
  bank
    .through(id)
    .get(endpoint.path.replace(":AccountId", accountId), tokens.get(id) ?? "", attended);
const attended = { "x-fapi-customer-ip-address": "203.0.113.7" };
const nameOf = ({ id, endpoint }: Tested): string => `${id} ${endpoint.path}`;
// an account without facts has no product and no party, which is a 400 or an empty 200
const isOld = ({ status }: { status: number }): boolean => status === 503;

test("data of an age that the bank does not know is not shown", async () => {
  for (const one of endpoints) {
    const answer = await read(one);
    assert.equal(answer.status, 503, nameOf(one));
    assert.equal(answer.headers["retry-after"], "30");
    assert.match(answer.text, /too old to be shown/);
  }
});

test("each resource has the age of its own facts, and a list that of its oldest account", async () => {
  for (const old of clusters) {
    await bank.database.query({ text: "delete from account_freshness", values: [] });
    await deliver((cluster) => seconds(cluster) + (cluster === old ? 1 : 0));
    for (const one of endpoints) {
      const expected = one.endpoint.cluster === old;
      assert.equal(isOld(await read(one)), expected, `${nameOf(one)}, old ${old}`);
      if (isOfOneAccount(one.endpoint)) {
        const other = await read(one, accountIds[1]);
        assert.equal(isOld(other), false, `${nameOf(one)} of the current account, old ${old}`);
      }
    }
  }
});

test("the feed's one mark makes the data current again", async () => {
  await deliver(() => 1_000_000);
  await createAccountFeed(database).apply({}, { deliveredUpTo: bank.now });
  for (const one of endpoints) assert.equal(isOld(await read(one)), false, nameOf(one));
});

test("an account that is shared before the bank has sent it is not missing, but not there yet", async () => {
  const feed = createAccountFeed(database, undefined, { now: () => bank.now });
  await feed.apply({}, { deliveredUpTo: bank.now });
  const accountId = "acc-later";
  const { now } = bank;
  const share = async (since: Temporal.Instant) => {
    bank.now = since;
    const shared = [accountId, accountIds[1] ?? ""];
    const { grantId } = await bank.addConsent({ customerId, accountIds: shared });
    bank.now = now;
    return bank.addToken("authorization_code", "tpp-1", "openid accounts", grantId);
  };
  // the database's clock says when an account was removed
  const token = await share(Temporal.Now.instant().subtract({ hours: 24 * 400 }));
  const statuses = async (token: string) => {
    const one = await bank.get(`/accounts/${accountId}`, token, attended);
    const list = await bank.get("/accounts", token, attended);
    return [one.status, list.status];
  };
  assert.deepEqual(await statuses(token), [503, 503]);
  const unknown = await bank.get("/accounts/acc-of-nobody", token, attended);
  assert.equal(unknown.status, 400);
  const [template] = shownFacts.accounts ?? [];
  assert.ok(template);
  const holders = [{ version: 1n, accountId, customerId, role: "owner" as const }];
  const delivered = [{ accountId, cluster: "account" as const, asOf: bank.now }];
  const send = (version: bigint) =>
    feed.apply({
      accounts: [{ ...template, version, accountId, sortCodeAccountNumber: null }],
      holders: holders.map((holder) => ({ ...holder, version })),
      delivered,
    });
  await send(1n);
  assert.deepEqual(await statuses(token), [200, 200]);
  await feed.apply({ removed: { accounts: [{ accountId, version: 2n }] } });
  await ageRemovals(database, 365);
  await purgeFacts(database, {}, bank.now);
  assert.deepEqual(await statuses(token), [400, 200]);
  // shared once more, and sent once more
  const again = await share(Temporal.Now.instant());
  assert.deepEqual(await statuses(again), [503, 503]);
  await send(3n);
  assert.deepEqual(await statuses(again), [200, 200]);
});

test("the setting can name every kind of data, and nothing else", () => {
  const schema = configSchema.properties.FACTS_MAX_AGE_SECONDS;
  for (const cluster of clusters) assert.ok(Value.Check(schema, `${cluster}=60`), cluster);
  for (const text of ["balance=60", "0", "PT1M", "60;90", ""]) {
    assert.equal(Value.Check(schema, text), false, text);
  }
});

test("without the setting, data of any age is shown", async () => {
  const open = await AccountsBank.over(await openEmpty());
  try {
    const holder = await open.addCustomer();
    const accountId = await open.addAccount(holder);
    const { token } = await open.addConsent({ customerId: holder, accountIds: [accountId] });
    const answer = await open.get(`/accounts/${accountId}`, token);
    assert.equal(answer.status, 200);
  } finally {
    await open.close();
  }
});

/** The status of the account's balances some seconds later. */
async function statusLater(later: number): Promise<number> {
  const balances = endpoints.find(({ endpoint }) => endpoint.path.endsWith(":AccountId/balances"));
  const { now } = bank;
  bank.now = now.add({ seconds: later });
  const { status } = await read(balances ?? assert.fail("the balances"));
  bank.now = now;
  return status;
}

test("an account that was live grows old when its source is heard no more", async () => {
  const [accountId = ""] = accountIds;
  await bank.database.query({ text: "delete from account_freshness", values: [] });
  const delivered = clusters.map((cluster) => ({ accountId, cluster, asOf: "live" as const }));
  const heard = { at: bank.now };
  const source = createAccountFeed(database, undefined, { now: () => heard.at });
  await source.apply({ delivered }, { source: "live" });
  assert.deepEqual([await statusLater(60), await statusLater(61)], [200, 503]);
  // a call that brings nothing says that nothing has changed
  heard.at = bank.now.add({ seconds: 30 });
  await source.apply({}, { source: "live" });
  assert.deepEqual([await statusLater(90), await statusLater(91)], [200, 503]);
  const other = createAccountFeed(database, undefined, { now: () => bank.now.add({ hours: 1 }) });
  await other.apply({}, { source: "another" });
  assert.equal(await statusLater(91), 503);
});

test("an account that was live has the age that its source says afterwards", async () => {
  const [accountId = ""] = accountIds;
  await bank.database.query({ text: "delete from account_freshness", values: [] });
  const heard = { at: bank.now };
  const source = createAccountFeed(database, undefined, { now: () => heard.at });
  const deliver = (asOf: Temporal.Instant | "live") =>
    source.apply(
      { delivered: clusters.map((cluster) => ({ accountId, cluster, asOf })) },
      { source: "turns" },
    );
  await deliver("live");
  assert.deepEqual([await statusLater(60), await statusLater(61)], [200, 503]);
  // a fact of last week that is loaded again does not make older what was current
  heard.at = bank.now.add({ seconds: 30 });
  await deliver(bank.now.subtract({ hours: 168 }));
  assert.deepEqual([await statusLater(60), await statusLater(61)], [200, 503]);
  await deliver(bank.now.add({ seconds: 10 }));
  assert.deepEqual([await statusLater(70), await statusLater(71)], [200, 503]);
  await deliver("live");
  assert.deepEqual([await statusLater(90), await statusLater(91)], [200, 503]);
});

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ConfigError, loadConfig } from "#src/config/config.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { removeTransactions } from "#test/account-store/stored-facts.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { onPostgres } from "#test/postgres.ts";
import { AccountsBank, type Answer, basePath, publicUrl } from "./fixture.ts";

const pageSize = 4;
let bank: AccountsBank;
let customerId: string;

before(async () => {
  bank = await AccountsBank.open({ pageSize });
  customerId = await bank.addCustomer();
});
after(() => bank.close());

const idsOf = ({ body }: Answer): string[] =>
  body.Data.Transaction.map(({ TransactionId }: { TransactionId: string }) => TransactionId);

const daily = (days: number) =>
  Array.from({ length: days }, (_, day) => ({
    at: Temporal.Instant.from("2026-11-20T10:00:00Z")
      .subtract({ hours: 24 * day })
      .toString(),
  }));

/** Posts to an account in the background. `posted` resolves once another entry is stored. */
type Poster = { posted(): Promise<void>; stop(): Promise<void> };

async function startPosting(accountId: string): Promise<Poster> {
  if (!onPostgres) return postBetween(accountId);
  const where = await first<{ name: string; port: number }>(
    bank.database,
    sql`select current_database() as name, inet_server_port() as port`,
  );
  const url = `postgres://aldgate@127.0.0.1:${where?.port}/${where?.name}`;
  const file = fileURLToPath(new URL("./post-entries.ts", import.meta.url));
  const child = fork(file, [url, accountId]);
  const ended = once(child, "exit");
  return {
    posted: async () => void (await once(child, "message")),
    async stop() {
      child.disconnect();
      assert.deepEqual((await ended)[0], 0);
    },
  };
}

// the embedded database has only one process and one connection
function postBetween(accountId: string): Poster {
  let posted = 0;
  return {
    async posted() {
      const at = daily(90)[posted++ % 90]?.at ?? "";
      await bank.addTransactions(accountId, [{ at }, { at: "2026-11-20T23:00:00Z" }]);
    },
    stop: async () => undefined,
  };
}

describe("paging while new entries arrive", () => {
  test("A-196: new entries do not cause items to be missed or repeated", async () => {
    const accountId = await bank.addAccount(customerId);
    const old = await bank.addTransactions(accountId, daily(90));
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
    for (const path of [`/accounts/${accountId}/transactions`, "/transactions"]) {
      const poster = await startPosting(accountId);
      const shown: string[] = [];
      for (let next: string | undefined = path; next; ) {
        const page: Answer = await bank.get(next, token);
        assert.equal(page.status, 200, page.text);
        shown.push(...idsOf(page));
        next = page.body.Links.Next;
        await poster.posted();
      }
      await poster.stop();
      assert.equal(new Set(shown).size, shown.length, "no item appears twice");
      const seen = new Set(shown);
      assert.deepEqual(
        old.filter((id) => !seen.has(id)),
        [],
        "none is missed",
      );
    }
  });

  test("Prev leads to the items before the page, one by one, however many were added", async () => {
    const accountId = await bank.addAccount(customerId);
    const old = await bank.addTransactions(accountId, daily(10));
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
    const opening = await bank.get(`/accounts/${accountId}/transactions`, token);
    const second = await bank.get(opening.body.Links.Next, token);
    await bank.addTransactions(accountId, [{ at: "2026-11-21T08:00:00Z" }]);
    const back = await bank.get(second.body.Links.Prev, token);
    assert.deepEqual(idsOf(back), old.slice(0, pageSize));
    assert.ok(back.body.Links.Prev, "new items are on an earlier page");
  });

  test("A-195: Prev leads to the first page if less than a page of items, or nothing, precedes", async () => {
    const accountId = await bank.addAccount(customerId);
    const old = await bank.addTransactions(accountId, daily(20));
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
    for (const path of [`/accounts/${accountId}/transactions`, "/transactions"]) {
      const opening = await bank.get(path, token);
      const shown = idsOf(opening);
      const second = await bank.get(opening.body.Links.Next, token);
      for (const gone of [shown.slice(0, 1), shown]) {
        await removeTransactions(bank.database, accountId, gone);
        const back = await bank.get(second.body.Links.Prev, token);
        const left = old.filter((id) => !gone.includes(id));
        old.splice(0, old.length, ...left);
        assert.deepEqual(idsOf(back), left.slice(0, pageSize));
        assert.equal("Prev" in back.body.Links, false);
        const next = await bank.get(back.body.Links.Next, token);
        assert.deepEqual(idsOf(next), left.slice(pageSize, 2 * pageSize));
      }
    }
  });
});

describe("links", () => {
  test("links are absolute, on the public host, with all filters kept", async () => {
    const accountId = await bank.addAccount(customerId);
    await bank.addTransactions(accountId, daily(30));
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
    const filter = "fromBookingDateTime=2026-11-01T00%3A00%3A00&toBookingDateTime=2026-11-19";
    const path = `/accounts/${accountId}/transactions`;
    const url = `${path}?${filter}&unknown=1`;
    const host = "internal.example:3000";
    // an unbound token does not work through a proxy
    const passedOn = { host, "x-forwarded-host": "evil.example" };
    assert.equal((await bank.get(url, token, passedOn)).status, 401);
    const opening = await bank.get(url, token, { host });
    const { Self, ...others } = opening.body.Links;
    assert.equal(Self, `${publicUrl}${basePath}${path}?${filter}&unknown=1`);
    for (const link of Object.values(others) as string[]) {
      assert.ok(link.startsWith(`${publicUrl}${basePath}${path}?${filter}`), link);
    }
  });

  test("a link works as long as the consent is valid, with each of its tokens", async () => {
    const accountId = await bank.addAccount(customerId);
    const ids = await bank.addTransactions(accountId, daily(9));
    const started = bank.now;
    const expiresAt = started.add({ hours: 24 * 180 });
    const consent = await bank.addConsent({ customerId, accountIds: [accountId], expiresAt });
    const opening = await bank.get(`/accounts/${accountId}/transactions`, consent.token);
    const link: string = opening.body.Links.Next;
    try {
      bank.now = started.add({ hours: 24 * 179 });
      assert.equal((await bank.get(link, consent.token)).status, 401, "the token has expired");
      // the customer authenticates again, which gives the consent another grant
      await setConsent(bank.database, consent.consentId, { grantId: "grant-later" });
      const scope = "openid accounts";
      const token = await bank.addToken("authorization_code", "tpp-1", scope, "grant-later", {
        expiresAt: started.add({ hours: 24 * 365 }),
      });
      const later = await bank.get(link, token);
      assert.deepEqual(idsOf(later), ids.slice(pageSize, 2 * pageSize));
      bank.now = expiresAt;
      assert.equal((await bank.get(link, token)).status, 401, "the consent has expired");
    } finally {
      bank.now = started;
    }
  });
});

describe("the page size", () => {
  test("A-199: the page size is a setting within the standard's limits", () => {
    assert.equal(loadConfig({}).PAGE_SIZE, 25);
    assert.equal(loadConfig({ PAGE_SIZE: "1000" }).PAGE_SIZE, 1000);
    for (const PAGE_SIZE of ["24", "1001", "0", "many"]) {
      assert.throws(() => loadConfig({ PAGE_SIZE }), ConfigError, PAGE_SIZE);
    }
  });

  test("every page except the last is full", async () => {
    const accountId = await bank.addAccount(customerId);
    await bank.addTransactions(accountId, daily(2 * pageSize + 1));
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
    const counts: number[] = [];
    for (let next = `/accounts/${accountId}/transactions`; next; ) {
      const page = await bank.get(next, token);
      counts.push(idsOf(page).length);
      next = page.body.Links.Next;
    }
    assert.deepEqual(counts, [pageSize, pageSize, 1]);
  });
});

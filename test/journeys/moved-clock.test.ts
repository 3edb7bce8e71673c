import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock, test } from "node:test";
import { openSandbox } from "#packages/client/src/sandbox.ts";
import { openTppFolder } from "#src/cli/tpp-folder.ts";
import { authoriseHeadless, HeadlessRefused } from "#src/sandbox/test-tpp/headless-customer.ts";
import { pathOf, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ClockMove } from "#src/sandbox/time/clock.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import type { Sql } from "#src/storage/sql.ts";
import { fragmentOf } from "#test/auth/auth-bed.ts";
import { deleteJourney, makeOverdue } from "#test/auth/stored-rows.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { runCommand } from "#test/server/run-command.ts";
import type { Customer, Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { lodgeAccess } from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore((bed) => {
  ({ bank, customers, client } = bed);
});

const time = async (): Promise<Temporal.Instant> =>
  Temporal.Instant.from((await bank.control<{ now: string }>("GET", "/clock")).now);

/** Lets a journey wait without a browser, while the clock is set forward. */
async function headlessWhile(advance: string) {
  const consentId = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
  const amara = (await bank.customers()).find(({ login }) => login === "amara");
  const moves: ClockMove[] = [];
  const begun = await time();
  return authoriseHeadless(
    { authorizationUrl, customer: "amara", decision: "abandon" },
    {
      publicUrl: bank.publicUrl,
      passwordOf: () => amara?.password ?? null,
      clock: { now: () => begun, moves: () => moves },
      async expireJourney() {
        await bank.advance(advance);
        // the journey began while the clock was being set
        moves.push({ from: begun.subtract({ seconds: 1 }), to: await time() });
      },
    },
  );
}

const approval = { customer: "amara", decision: "approve" } as const;
const namesMove = /The sandbox's clock was set forward from 20\d\d-.* to 20\d\d-/;

test("a journey during which the clock was set forward is refused with the page's words and both times", async () => {
  await assert.rejects(headlessWhile("P2D"), (error) => {
    assert.ok(error instanceof HeadlessRefused);
    assert.match(error.message, /the bank's page answered 400 and says: \w.*\. \w/);
    assert.match(error.message, namesMove);
    return true;
  });
});

test("a journey that ended because the clock was set forward is returned with both times", async () => {
  const { redirectUrl, note } = await headlessWhile("PT20M");
  assert.equal(fragmentOf(redirectUrl).error, "access_denied");
  assert.match(note ?? "", namesMove);
});

/** Sets the clock forward in the middle of the first journey of some work. */
async function whileMoved<T>(work: () => Promise<T>): Promise<T> {
  const query = bank.database.query.bind(bank.database) as (statement: Sql) => Promise<unknown[]>;
  let isMoved = false;
  const mocked = mock.method(bank.database, "query", async (statement: Sql) => {
    const rows = await query(statement);
    if (!isMoved && statement.text.includes("update journey set step = ")) {
      isMoved = true;
      await bank.advance("PT20M");
    }
    return rows;
  });
  try {
    return await work();
  } finally {
    mocked.mock.restore();
    assert.ok(isMoved);
  }
}

test("the client library and a bank for tests return the note that the clock was set forward", async () => {
  const sandbox = openSandbox(bank.publicUrl);
  for (const decide of [
    (authorizationUrl: string) => sandbox.approve({ url: authorizationUrl }, approval),
    (authorizationUrl: string) => bank.decide({ authorizationUrl, ...approval }),
  ]) {
    const consentId = await lodgeAccess(client);
    const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
    const { redirectUrl, note } = await whileMoved(() => decide(authorizationUrl));
    assert.equal(fragmentOf(redirectUrl).error, "access_denied");
    assert.match(note ?? "", namesMove);
  }
  sandbox.close();
});

test("a consent that the clock has ended before the customer came is refused with both times", async () => {
  const approve = async (consentId: string) =>
    bank.decide({
      authorizationUrl: await client.authorizationUrl({ scope: "accounts", consentId }),
      ...approval,
    });
  const consentId = await lodgeAccess(client);
  await bank.advance("P2D");
  const { redirectUrl, note } = await approve(consentId);
  const { error_description: said } = fragmentOf(redirectUrl);
  assert.match(said ?? "", namesTimes);
  assert.match(note ?? "", namesTimes);
});

test("the command that lets a customer approve says that the clock was set forward meanwhile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-moved-"));
  const { publicUrl, mtlsUrl } = bank;
  const environment = { PUBLIC_URL: publicUrl, MTLS_URL: mtlsUrl };
  try {
    const tpp = join(folder, "tpp");
    const made = await runCommand(`tpp create --out ${tpp}`, environment);
    assert.equal(made.code, 0, made.complained);
    const opened = await openTppFolder(tpp, { publicUrl, mtlsUrl });
    const commanded = new TppClient({ ...opened.bank, operations: [] }, opened.tpp);
    const consentId = await lodgeAccess(commanded);
    commanded.close();
    const authorise = `tpp authorise ${tpp} ${consentId} accounts`;
    const { complained } = await whileMoved(() => runCommand(authorise, environment));
    assert.match(complained, namesMove);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A customer who has logged in, at the code page of a journey. */
async function arrive(consentId: string): Promise<Customer> {
  const customer = await customers.arrive();
  await customer.open(await client.authorizationUrl({ scope: "accounts", consentId }));
  await customer.login("amara");
  return customer;
}

const asideOf = async ({ page }: Customer): Promise<string> =>
  (await page.locator("aside.sandbox").allTextContents()).join();
const namesTimes = /clock was set forward from 20[\d-]+T[\d:]+Z to 20[\d-]+T[\d:]+Z/;

test("the page of a journey that the sandbox's clock has ended names the clock, and no page of another ending does", async () => {
  const first = await arrive(await lodgeAccess(client));
  await bank.advance("PT20M");
  await first.enterCode();
  await first.press("continue");
  assert.match(await first.text(), /Your time has run out/);
  assert.doesNotMatch(await first.text(), /did not finish in time/);
  assert.match(await asideOf(first), namesTimes);
  assert.match(await asideOf(first), /during this journey, so it ended\. Start again\./);

  const consentId = await lodgeAccess(client);
  const second = await arrive(consentId);
  const path = `${pathOf(aispV31)}/account-access-consents/${consentId}`;
  const token = await client.clientToken("accounts");
  expectStatus(await client.call({ path, method: "DELETE", token }), 204);
  await bank.advance("PT1M");
  await second.enterCode();
  await second.press("continue");
  assert.match(await second.text(), /has withdrawn this request/);
  assert.equal(await asideOf(second), "");
});

test("the page of a journey that is no longer stored names the clock, but only to its browser", async () => {
  const customer = await arrive(await lodgeAccess(client));
  const url = customer.page.url();
  const before = await time();
  await bank.advance("P2D");
  await customer.open(url);
  const aside = await asideOf(customer);
  assert.match(aside, namesTimes);
  // what falls due on the way is done in steps, and the page names the beginning of the first
  const from = Temporal.Instant.from(/from (\S+Z) to/.exec(aside)?.[1] ?? "");
  const apart = Math.abs(from.since(before).total("minutes"));
  assert.ok(apart < 5, `${from} is not the time before the move, ${before}`);
  const other = await customers.arrive();
  await other.open(url);
  assert.match(await other.text(), /We cannot continue/);
  assert.equal(await asideOf(other), "");
});

test("the page of a journey that cannot be resumed names the clock, but only to its browser", async () => {
  const customer = await arrive(await lodgeAccess(client));
  const url = customer.page.url().replace("/journey/", "/auth/");
  await bank.advance("P2D");
  await customer.open(url);
  assert.match(await customer.text(), /This request has ended/);
  assert.match(await asideOf(customer), namesTimes);
  const other = await customers.arrive();
  await other.open(url);
  assert.match(await other.text(), /This request has ended/);
  assert.doesNotMatch(await asideOf(other), namesTimes);
});

test("a request without a browser that the clock has ended names it at the poll, and explained", async () => {
  const begin = async () => {
    const asked = { scope: "accounts", consentId: await lodgeAccess(client) } as const;
    const answer = await client.backchannel({ ...asked, claims: { login_hint: "sandbox:amara" } });
    expectStatus(answer, 200);
    return (answer.body as { auth_req_id: string }).auth_req_id;
  };
  const explain = async (id: string) =>
    (await bank.control<{ summary: string }>("GET", `/explanations/${id}`)).summary;
  const polled = async (id: string) => (await client.poll(id)).body as Record<string, string>;
  const id = await begin();
  await bank.advance("PT20M");
  // once as the poll ends it, and once as it has ended
  for (const _ of [1, 2]) {
    const { error, error_description: said = "" } = await polled(id);
    assert.equal(error, "expired_token");
    assert.match(said, namesTimes);
  }
  assert.match(await explain(id), namesTimes);
  const other = await begin();
  await bank.control("POST", `/backchannel-requests/${other}/time-out`, {});
  assert.doesNotMatch((await polled(other)).error_description ?? "", namesTimes);
  assert.doesNotMatch(await explain(other), namesTimes);
});

test("a journey that is deleted while a request ends it is not a failure of the page", async () => {
  const customer = await arrive(await lodgeAccess(client));
  await bank.advance("PT1M");
  const url = customer.page.url();
  const uid = url.split("/").at(-1) ?? "";
  await makeOverdue(bank.database, uid);
  const { database } = bank;
  const transaction = database.transaction.bind(database);
  const mocked = mock.method(database, "transaction", async (work: never) => {
    await deleteJourney(database, uid);
    return transaction(work);
  });
  const { status } = await fetchAs(customer, url).finally(() => mocked.mock.restore());
  assert.ok(mocked.mock.callCount() > 0);
  assert.equal(status, 400);
  await customer.open(url);
  assert.match(await asideOf(customer), namesTimes);
});

/** Requests a page with the cookies of a customer's browser. */
async function fetchAs({ context }: Customer, url: string) {
  const cookies = await context.cookies(url);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  return fetch(url, { headers: { cookie, accept: "text/html" } });
}

for (const advance of ["PT2M", "P2D"]) {
  test(`a code exchanged after a move of the clock by ${advance} is refused with both times`, async () => {
    const authorizationUrl = await client.authorizationUrl({
      scope: "accounts",
      consentId: await lodgeAccess(client),
    });
    const { redirectUrl } = await bank.decide({ authorizationUrl, ...approval });
    await bank.advance(advance);
    await assert.rejects(client.exchangeCode(redirectUrl), namesMove);
  });
}

test("a pushed request that the clock has ended is refused with both times", async () => {
  const pushing = await bank.createTpp({ profile: "fapi2" });
  const authorizationUrl = await pushing.authorizationUrl({
    scope: "accounts",
    consentId: await lodgeAccess(pushing),
  });
  await bank.advance("PT10M");
  await assert.rejects(bank.decide({ authorizationUrl, ...approval }), namesMove);
  const customer = await customers.arrive();
  await customer.open(authorizationUrl);
  assert.match(await customer.text(), namesMove);
});

test("the bank's own login names the clock that has logged the customer out, and no other cause", async () => {
  const own = await customers.enterBank(bank, "amara");
  await bank.advance("PT20M");
  await own.open(`${bank.publicUrl}/bank`);
  assert.match(await own.text(), namesTimes);
  assert.match(await own.text(), /so you are logged out\. Log in to go on\./);
  assert.doesNotMatch(await own.text(), /without activity/);
  await own.leave();
});

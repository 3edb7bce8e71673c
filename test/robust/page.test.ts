// The page "Is my client robust?", its interface, and what other pages say meanwhile.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { RobustReport } from "#src/sandbox/robust/report.ts";
import { expectAccessible, looks, lookText, openPage } from "#test/axe.ts";
import { openBrowser } from "#test/browser.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";

let bank: TestBank;
let browser: Browser;
let clientId: string;
let read: () => Promise<{ status: number; headers: Record<string, unknown> }>;
before(async () => {
  bank = await openBank();
  browser = await openBrowser();
  const client = await bank.createTpp({ name: "Watched TPP" });
  client.onAnswer = null; // the published answers are not what it gets
  ({ clientId } = client.tpp);
  const consent = await client.call<{ Data: { ConsentId: string } }>({
    method: "POST",
    path: "/v4.0/aisp/account-access-consents",
    token: await client.clientToken("accounts"),
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  const { ConsentId: consentId } = consent.body.Data;
  const given = { scope: "accounts", consentId, customer: "amara" } as const;
  const { access_token: token } = await bank.approve(client, given);
  read = () => client.call({ path: "/v4.0/aisp/accounts", token });
});
after(async () => {
  await browser?.close();
  await bank?.close();
});

const path = (): string => `/tpps/${clientId}/misbehaviours`;
const report = (): Promise<RobustReport> => bank.control("GET", path());

test("a switch plays one misbehaviour on one TPP, and the log and the home page say so", async () => {
  const other = await bank.createTpp({ name: "Other TPP" });
  const settings = { names: ["unavailable"], patience: 1 };
  const begun = await bank.control<RobustReport>("POST", path(), settings);
  assert.deepEqual(
    begun.rows.map(({ name, state }) => [name, state]),
    [["unavailable", "waiting"]],
  );
  const home = await (await fetch(bank.publicUrl, { headers: { accept: "text/html" } })).text();
  assert.match(home, /does not answer as usual to/);
  assert.ok(home.includes(`/sandbox/robust?client=${clientId}`));
  assert.ok(await other.clientToken("accounts"));
  const refused = await read();
  assert.equal(refused.status, 503);
  assert.equal(refused.headers["retry-after"], undefined);
  assert.equal((await read()).status, 200);
  const { rows, isRobust } = await until(report, ({ state }) => state === "ended");
  const [row] = rows;
  assert.equal(row?.verdict, "coped");
  assert.equal(isRobust, true);
  const logId = String(row?.played[0]?.logId);
  const entry = await bank.control<{ status: number; played: unknown }>(
    "GET",
    `/requests/${logId}`,
  );
  assert.equal(entry.status, 503);
  assert.deepEqual(entry.played, { name: "unavailable", text: row?.plays });
  const why = await bank.control<{ summary: string; next: string }>(
    "GET",
    `/explanations/${logId}`,
  );
  assert.match(
    why.summary,
    /But the sandbox played unavailable on the client: The bank answers 503/,
  );
  assert.equal(why.next, `Read how the client coped: \`./aldgate robust report ${clientId}\`.`);
  const after = await (await fetch(bank.publicUrl, { headers: { accept: "text/html" } })).text();
  assert.doesNotMatch(after, /does not answer as usual/);
});

test("a run ends after its time, and on demand; an unknown TPP or name is refused", async () => {
  await bank.control("POST", path(), { lasts: 10 });
  const ended = await bank.control<RobustReport>("DELETE", path());
  assert.equal(ended.state, "ended");
  assert.equal(ended.summary["not reached"], ended.rows.length);
  assert.equal((await read()).status, 200);
  const timed = await bank.control<RobustReport>("POST", path(), { lasts: 10 });
  assert.equal(Date.parse(timed.endsAt) - Date.parse(timed.startedAt), 10_000);
  const over = await until(report, ({ state }) => state === "ended");
  assert.equal(over.isRobust, false);
  assert.equal((await read()).status, 200);
  await assert.rejects(
    bank.control("GET", "/tpps/unknown/misbehaviours"),
    /Nothing has been played/,
  );
  await assert.rejects(bank.control("POST", "/tpps/unknown/misbehaviours", {}), /no TPP with that/);
  await assert.rejects(bank.control("POST", path(), { names: ["nothing"] }), /names/);
});

test("the page starts a run, shows the report and ends it, by keyboard and without JavaScript", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(bank.publicUrl);
  await page.getByRole("link", { name: "Is my client robust?" }).click();
  await page.getByLabel("Client").fill("unknown");
  await page.getByRole("button", { name: "Play everything" }).press("Enter");
  await page.getByRole("alert").getByText("There is no TPP with that client id.").waitFor();
  await page.getByLabel("Client").fill(clientId);
  await page.getByRole("button", { name: "Play everything" }).press("Enter");
  await page.getByRole("heading", { name: "Report" }).waitFor();
  await page.getByRole("button", { name: "End the run" }).press("Enter");
  await page.getByRole("button", { name: "Play it again: lost-order" }).press("Enter");
  await page.getByText("Waits for a call that submits an order.").waitFor();
  assert.deepEqual(
    (await report()).rows.map(({ name }) => name),
    ["lost-order"],
  );
  await page.getByRole("button", { name: "End the run" }).press("Enter");
  await page.close();
});

test("a form of another origin plays nothing", async () => {
  const { startedAt } = await report();
  const sent = await fetch(`${bank.publicUrl}/sandbox/robust`, {
    method: "POST",
    headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    body: new URLSearchParams({ act: "start", client: clientId }),
  });
  assert.equal(sent.status, 403);
  assert.equal((await report()).startedAt, startedAt);
});

for (const look of looks) {
  test(`WCAG: axe finds no fault on the page ${lookText(look)}`, async () => {
    const names = ["unavailable", "token-ends-early", "slow-order"];
    await bank.control("POST", path(), { names, patience: 1 });
    await read();
    const waiting = (one: RobustReport) => one.summary["gave up"] > 0;
    await until(report, waiting);
    const page = await openPage(browser, look);
    for (const url of [`/sandbox/robust?client=${clientId}`, "/sandbox/robust", "/"]) {
      await page.goto(`${bank.publicUrl}${url}`);
      await expectAccessible(page, url, look);
    }
    await page.close();
    await bank.control("DELETE", path());
  });
}

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { ShownWorld } from "#src/sandbox/controls/world-shapes.ts";
import { expectAccessible, looks, openPage } from "#test/axe.ts";
import { openBrowser, toNextPage } from "#test/browser.ts";
import { type Host, openWorldsHost } from "./worlds-bed.ts";

let host: Host;
let browser: Browser;
let red: ShownWorld;
before(async () => {
  host = await openWorldsHost();
  red = await host.world("red");
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await host?.close();
});

type Customers = { customers: { login: string }[] };
type Clients = { clients: { clientId: string; softwareName: string; status: string }[] };

const loginsAt = async (at: string): Promise<string[]> =>
  (await host.control<Customers>("GET", "/customers", undefined, at)).customers.map(
    ({ login }) => login,
  );

test("a customer of a world is added and deleted on its page, without JavaScript", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(red.publicUrl);
  await page.getByRole("link", { name: "Customers", exact: true }).click();
  await page.getByLabel("Customer, as JSON").fill('{"login":"robin"}');
  await page.getByRole("button", { name: "Add the customer" }).press("Enter");
  await page.getByRole("alert").getByText("name").waitFor();
  assert.equal(await page.getByLabel("Customer, as JSON").inputValue(), '{"login":"robin"}');
  await page.goto(`${red.publicUrl}/sandbox/customers`);
  await page.getByRole("button", { name: "Add the customer" }).press("Enter"); // the example
  await page.getByText("The customer robin is added.").waitFor();
  assert.ok((await loginsAt(red.publicUrl)).includes("robin"));
  assert.ok(!(await loginsAt(host.publicUrl)).includes("robin"));
  await page.getByRole("link", { name: "Delete: Robin Reed" }).press("Enter");
  assert.ok((await loginsAt(red.publicUrl)).includes("robin"), "nothing is deleted by a link");
  await page.getByRole("button", { name: "Delete Robin Reed" }).press("Enter");
  await page.getByText("The customer robin is deleted.").waitFor();
  assert.ok(!(await loginsAt(red.publicUrl)).includes("robin"));
  assert.equal(await page.getByRole("link", { name: /^Delete: Amara/ }).count(), 0);
  await page.close();
});

test("the page moves an old export to the bank's time, and keeps the choice when it refuses", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${red.publicUrl}/sandbox/customers`);
  const account = { key: "main", type: "CurrentAccount", balance: "5.00", openedOn: "2026-01-05" };
  const old = { login: "olive", name: "Olive Old", accounts: [account] };
  const text = page.getByLabel("Customer, as JSON");
  const move = page.getByLabel("Move all dates to the bank’s time");
  await text.fill(JSON.stringify(old));
  await move.check();
  await page.getByRole("button", { name: "Add the customer" }).press("Enter");
  await page.getByRole("alert").getByText("asOf").waitFor();
  assert.equal(await move.isChecked(), true);
  await text.fill(JSON.stringify({ ...old, asOf: "2026-01-15T09:00:00Z" }));
  await page.getByRole("button", { name: "Add the customer" }).press("Enter");
  await page.getByText("The customer olive is added. All dates have moved").waitFor();
  const moved = await host.control<{ accounts: { openedOn: string }[]; asOf: string }>(
    "GET",
    "/customers/olive/export",
    undefined,
    red.publicUrl,
  );
  const age = Temporal.PlainDate.from(moved.accounts[0]?.openedOn ?? "").until(
    Temporal.Instant.from(moved.asOf).toZonedDateTimeISO("UTC").toPlainDate(),
    { largestUnit: "days" },
  );
  assert.ok(age.days === 10 || age.days === 11, `${age}`); // 11 before 9 o'clock
  await page.close();
});

test("a customer's accounts are folded, and open by keyboard without JavaScript", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${red.publicUrl}/sandbox/customers`);
  const amara = page.getByRole("region", { name: "Amara Okafor" });
  assert.equal(await amara.getByText("Rainy day").isVisible(), false);
  await amara.getByText("3 accounts").press("Enter");
  await amara.getByText("Rainy day").waitFor();
  await page.close();
});

test("a TPP of a world is added with its keys and deleted on its page", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(red.publicUrl);
  await page.getByRole("link", { name: "TPPs", exact: true }).click();
  await page.getByLabel("Name").fill("Paged TPP");
  await page.getByLabel("Redirect URI").fill("ftp://tpp.example/cb");
  await page.getByRole("button", { name: "Add the TPP" }).press("Enter");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Name").fill("Paged TPP");
  await page.getByLabel("Redirect URI").fill("https://tpp.example/cb");
  const add = page.getByRole("button", { name: "Add the TPP" });
  await toNextPage(page, () => add.press("Enter"));
  const made = JSON.parse((await page.locator("pre").textContent()) ?? "");
  assert.match(made.transport.privateKeyPem, /PRIVATE KEY/);
  const statusOf = async (): Promise<string | undefined> => {
    const { clients } = await host.control<Clients>("GET", "/clients", undefined, red.publicUrl);
    return clients.find(({ clientId }) => clientId === made.clientId)?.status;
  };
  assert.equal(await statusOf(), "active");
  await page.getByRole("link", { name: "Delete: Paged TPP" }).press("Enter");
  await page.getByRole("button", { name: "Delete Paged TPP" }).press("Enter");
  await page.getByText(`The TPP ${made.clientId} is deleted.`).waitFor();
  assert.notEqual(await statusOf(), "active");
  await page.close();
});

test("a form of another origin adds and deletes nobody", async () => {
  for (const path of ["customers", "tpps"]) {
    const sent = await fetch(`${red.publicUrl}/sandbox/${path}`, {
      method: "POST",
      headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      body: new URLSearchParams({ act: "delete", id: red.tpps[0]?.clientId ?? "" }),
    });
    assert.equal(sent.status, 403);
  }
});

/** The ids of two customers, and of two TPPs, that have the same name. */
async function addNamesakes(): Promise<{ logins: string[]; clientIds: string[] }> {
  const logins: string[] = [];
  const clientIds: string[] = [];
  for (const login of ["sam1", "sam2"]) {
    const account = { key: "main", type: "Savings", balance: "1.00" };
    const customer = { login, name: "Sam Smith", accounts: [account] };
    await host.control("POST", "/customers", customer, red.publicUrl);
    logins.push(login);
  }
  for (const part of ["one", "two"]) {
    const redirectUris = [`https://${part}.example/cb`];
    const tpp = { name: "Same Name Ltd", roles: ["AISP"], redirectUris };
    const made = await host.control<{ clientId: string }>("POST", "/tpps", tpp, red.publicUrl);
    clientIds.push(made.clientId);
  }
  return { logins, clientIds };
}

test("WCAG: axe finds no fault on the pages of a sandbox whose customers and TPPs have equal names", async () => {
  const { logins, clientIds } = await addNamesakes();
  await fetch(`${red.publicUrl}/sandbox/v1/no-such-path`);
  const paths = [
    ...["/", "/sandbox/requests"],
    ...["/sandbox/customers", `/sandbox/customers?delete=${logins[0]}`],
    ...["/sandbox/tpps", `/sandbox/tpps?delete=${clientIds[0]}`],
  ];
  for (const look of looks) {
    const page = await openPage(browser, look);
    for (const path of paths) {
      const answer = await page.goto(`${red.publicUrl}${path}`);
      assert.equal(answer?.status(), 200, path);
      await expectAccessible(page, path, look);
    }
    await page.close();
  }
});

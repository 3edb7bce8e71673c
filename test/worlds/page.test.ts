import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
import type { ShownWorld, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import { expectAccessible, looks, lookText, openPage } from "#test/axe.ts";
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

const listed = async (): Promise<WorldSummary[]> =>
  (await host.control<{ worlds: WorldSummary[] }>("GET", "/worlds")).worlds;

test("worlds are opened, kept, reset and deleted on the page, by keyboard and without JavaScript", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(host.publicUrl);
  await page.getByRole("link", { name: "Worlds" }).click();
  await page.getByLabel("Name").fill("by-keyboard");
  await page.getByLabel("Its time").fill("2027-03-01T09:00Z");
  await page.getByLabel("Its clock stands still").press("Space");
  await page.getByRole("button", { name: "Open the world" }).press("Enter");
  await page.getByText("The world by-keyboard is open.").waitFor();
  const made = (await listed()).find(({ name }) => name === "by-keyboard");
  assert.deepEqual(made?.clock, { start: "2027-03-01T09:00Z", rate: 0 });
  await page.getByRole("button", { name: "Keep a snapshot: by-keyboard" }).press("Enter");
  await page.getByText("The world by-keyboard has another snapshot.").waitFor();
  await page.getByRole("button", { name: "Restore the snapshot: by-keyboard" }).press("Enter");
  await page.getByText("The world by-keyboard is restored.").waitFor();
  await page.getByRole("link", { name: "Reset: by-keyboard" }).press("Enter");
  await page.getByRole("heading", { name: "Reset by-keyboard?" }).waitFor();
  await page.getByText("Everything that has happened in it is lost").waitFor();
  await page.getByRole("button", { name: "Reset by-keyboard" }).press("Enter");
  await page.getByText("The world by-keyboard is as it began.").waitFor();
  await page.getByRole("link", { name: "Delete: by-keyboard" }).press("Enter");
  await page.getByRole("heading", { name: "Delete by-keyboard?" }).waitFor();
  assert.ok((await listed()).some(({ name }) => name === "by-keyboard"));
  await page.getByRole("button", { name: "Delete by-keyboard" }).press("Enter");
  await page.getByText("The world by-keyboard is deleted.").waitFor();
  await page.getByLabel("Name").fill("red");
  await page.getByRole("button", { name: "Open the world" }).press("Enter");
  await page.getByRole("alert").getByText('There already is a world "red".').waitFor();
  await page.close();
});

test("the page of worlds shows the time of each open world, also after its clock is moved", async () => {
  await host.control("POST", "/worlds", {
    name: "moved",
    clock: { start: "2027-03-01T09:00Z", rate: 0 },
  });
  const world = (await listed()).find(({ name }) => name === "moved");
  assert.equal(world?.now, "2027-03-01T09:00:00Z");
  await host.control("PUT", "/clock", { advance: "PT25H" }, world.publicUrl);
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${host.publicUrl}/worlds`);
  await page.getByRole("region", { name: "moved" }).getByText("2027-03-02T10:00Z").waitFor();
  await page.close();
});

test("the home page of a world names it and links to its controls", async () => {
  const page = await browser.newPage();
  await page.goto(red.publicUrl);
  await page.getByText("World red").waitFor();
  await toNextPage(page, () => page.getByRole("link", { name: "Reset this world" }).click());
  assert.equal(page.url(), `${host.publicUrl}/worlds#world-red`);
  await page.getByRole("heading", { name: "red" }).waitFor();
  await page.close();
});

test("a world's pages print commands with the ports and the key folder of this world", async () => {
  const { port } = new URL(red.publicUrl);
  const { port: mtlsPort } = new URL(red.mtlsUrl);
  const keys = `${host.folder}/worlds/banks/red`;
  const settings = `ALDGATE_DATA=${keys} PUBLIC_PORT=${port} MTLS_PORT=${mtlsPort}`;
  const textOf = async (path: string) => (await fetch(`${red.publicUrl}${path}`)).text();
  const home = await textOf("/");
  assert.ok(home.includes(`${settings} npm run demo`));
  assert.ok(home.includes(`${settings} ./aldgate logs --follow`));
  const call = await textOf("/docs/api/aisp-v4.0/accounts.md");
  assert.ok(call.includes(`TPP=${keys}/keys/tpps/explorer\n`));
  assert.ok(call.includes(`$(${settings} ./aldgate tpp authorise $TPP`));
});

test("the list of worlds has the rate at which a clock runs now", async () => {
  await host.control("PUT", "/clock", { rate: 60 }, red.publicUrl);
  const rateOf = (all: WorldSummary[]) => all.find(({ name }) => name === "red")?.clock.rate;
  assert.equal(rateOf(await listed()), 60);
  await host.control("PUT", "/clock", { rate: 1 }, red.publicUrl);
  assert.equal(rateOf(await listed()), 1);
});

test("a form of another origin changes nothing", async () => {
  const sent = await fetch(`${host.publicUrl}/worlds`, {
    method: "POST",
    headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    body: new URLSearchParams({ act: "delete", name: "red" }),
  });
  assert.equal(sent.status, 403);
  assert.ok((await listed()).some(({ name }) => name === "red"));
});

async function logIn(context: BrowserContext, { publicUrl }: ShownWorld, login: string) {
  const page = await context.newPage();
  await page.goto(`${publicUrl}/bank`);
  await page.getByLabel("User ID").fill(login);
  await page.getByLabel("Password").fill(`${login}-sandbox`);
  await page.getByRole("button", { name: /Continue|Log in/ }).click();
  const code = await page
    .getByText(/\b\d{6}\b/)
    .first()
    .textContent();
  await page.getByLabel(/code/i).fill(/\d{6}/.exec(code ?? "")?.[0] ?? "");
  await page.getByRole("button", { name: /Continue|Log in/ }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  return page;
}

test("two worlds in one browser keep their customers apart", async () => {
  const blue = await host.world("blue");
  const context = await browser.newContext();
  const atRed = await logIn(context, red, "amara");
  const atBlue = await logIn(context, blue, "dev");
  for (const [page, name] of [
    [atRed, /Amara/],
    [atBlue, /Dev/],
    [atRed, /Amara/],
  ] as const) {
    await page.reload();
    await page.getByRole("button", { name: "Log out" }).waitFor();
    await page.getByText(name).first().waitFor();
  }
  await context.close();
});

for (const look of looks) {
  test(`WCAG: axe finds no fault on the page ${lookText(look)}`, async () => {
    await host.control("POST", "/worlds/red/snapshots", {});
    const page = await openPage(browser, look);
    for (const url of [`${host.publicUrl}/worlds`, `${red.publicUrl}/`]) {
      await page.goto(url);
      await expectAccessible(page, new URL(url).pathname, look);
    }
    await page.close();
  });
}

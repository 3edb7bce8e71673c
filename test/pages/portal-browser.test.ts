import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import type { Browser } from "playwright-core";
import { assetUrl, registerAssets } from "#src/pages/assets.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { referenceSamples } from "#src/server/examples/reference-samples.ts";
import { registerPortal } from "#src/server/portal/register-portal.ts";
import { expectAccessible, looks, lookText, openPage } from "#test/axe.ts";
import { openBrowser } from "#test/browser.ts";
import { samplePortal } from "./portal-bed.ts";
import { sampleDay } from "./samples.ts";

let app: FastifyInstance;
let browser: Browser;
let base: string;
const calls: unknown[] = [];
const portal = samplePortal();

before(async () => {
  app = Fastify();
  registerAssets(app);
  registerPortal(app, () => portal);
  app.post("/sandbox/v1/explorer", (request) => {
    calls.push(request.body);
    return { status: 201, headers: { date: "now" }, body: { Data: { DomesticPaymentId: "1" } } };
  });
  base = await app.listen({ host: "127.0.0.1", port: 0 });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await app?.close();
});

/** A page of each kind. */
const kinds = [
  "/docs",
  "/docs/errors",
  "/docs/headers",
  "/docs/api/pisp-v4.0",
  "/docs/api/pisp-v4.0/domestic-payments",
  "/docs/api/aisp-v4.0/products",
  "/docs/api/sandbox-v1/worlds",
  "/docs/api/pisp-v4.0/objects/OBRisk1",
  "/docs/codes/LocalInstrument",
  "/docs/guides/payments",
  "/docs/search?q=currency",
  "/docs/search",
];

/** Every page that is written by hand: the pages of resources and codes are made alike. */
async function listWritten(): Promise<string[]> {
  const list = await (await fetch(`${base}/llms.txt`)).text();
  const paths = [...list.matchAll(/\]\((\/docs[^)]*)\.md\)/g)].map(([, path = ""]) => path);
  const written = paths.filter((path) => !/^\/docs\/(?:api|codes)\//.test(path));
  assert.ok(written.length > 25, `${written.length} pages`);
  return written;
}

for (const look of looks) {
  test(`WCAG: axe finds no fault on a guide, or any kind of page, ${lookText(look)}`, async () => {
    const page = await openPage(browser, look);
    const written = look.colours === "forced" ? [] : await listWritten();
    for (const path of new Set([...kinds, ...written])) {
      const answer = await page.goto(base + path);
      assert.equal(answer?.status(), 200, path);
      const heading = await page.locator("h1").boundingBox();
      assert.ok(heading && heading.y + heading.height < 844, `${path}: the heading is below`);
      await expectAccessible(page, path, look);
    }
    await page.close();
  });
}

test("no page of the portal moves while it loads, or asks for what its policy forbids", async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 844 } });
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(request.url()));
  for (const path of kinds) {
    await page.goto(base + path);
    assert.deepEqual(await page.evaluate(shifts), [], path);
  }
  assert.deepEqual(complaints, []);
  await page.close();
});

// Runs in the page: what moved since it began to load.
const shifts = `new Promise((resolve) => {
  const moved = [];
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) if (value > 0.01) moved.push(value);
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(moved)));
})`;

test("on a phone the contents open without script and by keyboard, and lead to a page", async () => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  });
  const page = await context.newPage();
  await page.goto(`${base}/docs/api/pisp-v4.0/domestic-payments`);
  const link = page.getByRole("link", { name: "Domestic VRPs" });
  assert.equal(await link.isVisible(), false);
  assert.equal(await page.locator("form.try").first().isVisible(), false);
  await page.getByRole("button", { name: "Contents" }).press("Enter");
  await link.press("Enter");
  await page.getByRole("heading", { name: "Domestic VRPs", level: 1 }).waitFor();
  await page.goto(`${base}/docs/search`);
  await page.getByRole("button", { name: "Contents" }).press("Enter");
  await page.getByRole("searchbox", { name: "Search" }).fill("U015");
  await page.getByRole("searchbox", { name: "Search" }).press("Enter");
  await page.getByRole("link", { name: /U015/ }).first().click();
  await page.waitForURL(`${base}/docs/errors#U015`);
  await context.close();
});

test("a resource's page sends a call as a TPP of the chosen profile, and the next page knows its ids", async () => {
  const page = await browser.newPage();
  await page.goto(`${base}/docs/api/pisp-v4.0/domestic-payments`);
  const form = page.locator('form.try[data-method="POST"]');
  await form.getByRole("button", { name: "Send" }).click();
  await form.locator(".result > pre").waitFor();
  assert.match((await form.locator(".result").textContent()) ?? "", /^201.*DomesticPaymentId/s);
  await page.getByLabel("Try calls as a TPP of").selectOption("FAPI 2.0 Message Signing");
  const answered = page.waitForResponse(/explorer/);
  await form.getByRole("button", { name: "Send" }).click();
  await answered;
  const [first, second] = calls;
  assert.deepEqual(second, { ...(first as object), profile: "fapi2-message-signing" });
  assert.deepEqual(first, {
    method: "POST",
    path: "/api/open-banking/v4.0/pisp/domestic-payments",
    body: referenceSamples(paymentKinds, sampleDay)["pisp-v4.0"]?.CreateDomesticPayments,
  });
  await page.goto(`${base}/docs/api/pisp-v3.1/domestic-payments`);
  const read = page.locator('form.try[data-path$="/domestic-payments/{DomesticPaymentId}"]');
  assert.equal(await read.locator('input[name="DomesticPaymentId"]').inputValue(), "1");
  assert.equal(
    await page.getByLabel("Try calls as a TPP of").inputValue(),
    "fapi2-message-signing",
  );
  await page.close();
});

test("the first call of a resource is at the right of the first screen, and below its words on a phone", async () => {
  const resources = kinds.filter((path) => /^\/docs\/api\/[^/]+\/[^/]+$/.test(path));
  assert.ok(resources.length >= 3);
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const boxes = async () => {
    const part = page.locator(".beside").first();
    const words = await part.locator(".words").boundingBox();
    const call = await part.locator(".samples pre", { hasText: "curl" }).first().boundingBox();
    assert.ok(words && call);
    return { words, call };
  };
  for (const path of resources) {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto(base + path);
    const wide = await boxes();
    assert.ok(wide.call.x >= wide.words.x + wide.words.width, `${path}: the call is not beside`);
    assert.ok(wide.call.y + wide.call.height <= 720, `${path}: the call ends below the screen`);
    await page.setViewportSize({ width: 390, height: 844 });
    const narrow = await boxes();
    assert.ok(narrow.call.y >= narrow.words.y + narrow.words.height, `${path}: the call is above`);
  }
  await page.close();
});

test("stylesheets and script are sent compressed", async () => {
  for (const name of ["theme.css", "style.css", "portal.css", "portal.js"] as const) {
    const url = base + assetUrl(name);
    const plain = await fetch(url, { headers: { "accept-encoding": "identity" } });
    assert.equal(plain.headers.get("content-encoding"), null);
    const text = await plain.text();
    for (const encoding of ["br", "gzip"]) {
      const sent = await fetch(url, { headers: { "accept-encoding": encoding } });
      assert.equal(sent.headers.get("content-encoding"), encoding, name);
      assert.equal(sent.headers.get("vary"), "accept-encoding");
      assert.equal(await sent.text(), text);
    }
  }
});

test("a page is sent compressed, as Markdown, and not again to whoever has it", async () => {
  const url = `${base}/docs/api/pisp-v4.0/domestic-payments`;
  const plain = await fetch(url, { headers: { "accept-encoding": "identity" } });
  assert.equal(plain.headers.get("content-encoding"), null);
  const text = await plain.text();
  for (const encoding of ["br", "gzip"]) {
    const sent = await fetch(url, { headers: { "accept-encoding": encoding } });
    assert.equal(sent.headers.get("content-encoding"), encoding);
    assert.equal(await sent.text(), text);
    const etag = sent.headers.get("etag") ?? "";
    const again = await fetch(url, {
      headers: { "accept-encoding": encoding, "if-none-match": etag },
    });
    assert.equal(again.status, 304);
  }
  const markdown = await fetch(`${url}.md`);
  assert.match(markdown.headers.get("content-type") ?? "", /^text\/markdown/);
  const asked = await fetch(url, { headers: { accept: "text/markdown" } });
  assert.equal(await asked.text(), await markdown.text());
  assert.equal((await fetch(`${base}/docs/no-such-page`)).status, 404);
  const list = await (await fetch(`${base}/llms.txt`)).text();
  const listed = [...list.matchAll(/\]\((\/docs[^)]*)\)/g)].map(([, path = ""]) => path);
  assert.ok(listed.length > 100, `${listed.length} pages`);
  for (const path of listed) assert.equal((await fetch(base + path)).status, 200, path);
});

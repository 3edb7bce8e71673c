import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import type { Browser } from "playwright-core";
import { registerAssets } from "#src/pages/assets.ts";
import { pageHeaders, passkeyPolicy } from "#src/pages/page-headers.ts";
import { asksForPasskey } from "#src/pages/passkey.ts";
import { openBrowser } from "#test/browser.ts";
import { samplePages } from "./samples.ts";

let app: FastifyInstance;
let browser: Browser;
let base: string;
const pages = samplePages("Hawthorne & Sons Joinery Ltd");

before(async () => {
  app = Fastify();
  registerAssets(app);
  for (const [name, text] of Object.entries(pages)) {
    // without the redirect, which would leave the page
    const still = text.replace(/<meta http-equiv="refresh"[^>]*>/, "");
    const policy = asksForPasskey(text) ? { "content-security-policy": passkeyPolicy } : {};
    app.get(`/${name}`, (_request, reply) =>
      reply.headers({ ...pageHeaders, ...policy }).send(still),
    );
  }
  base = await app.listen({ host: "127.0.0.1", port: 0 });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await app?.close();
});

for (const width of [360, 1280]) {
  test(`every page fits ${width} pixels and complies with its own policy`, async () => {
    const page = await browser.newPage({ viewport: { width, height: 740 } });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("requestfailed", (request) => complaints.push(request.url()));
    for (const name of Object.keys(pages)) {
      await page.goto(`${base}/${name}`);
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      assert.ok(Number(wide) <= width, `${name} is ${wide} wide`);
    }
    assert.deepEqual(
      complaints.filter((text) => !text.includes("favicon")),
      [],
    );
    await page.close();
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`text has enough contrast in ${colorScheme} colours`, async () => {
    const page = await browser.newPage({ colorScheme });
    for (const name of Object.keys(pages)) {
      await page.goto(`${base}/${name}`);
      assert.deepEqual(await page.evaluate(weakText), [], name);
    }
    await page.close();
  });
}

// Runs in the page: finds text whose contrast ratio is below 4.5, except on disabled controls.
// Source: WCAG 2.2 criterion 1.4.3.
const weakText = `(() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const part = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest("label:has(:disabled)")) continue;
    const text = light(parse(getComputedStyle(element).color));
    const ground = light(behind(element));
    const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    if (ratio < 4.5) weak.push(element.textContent.trim().slice(0, 30) + " " + ratio.toFixed(2));
  }
  return weak;
})()`;

test("Approve and Cancel have the same size and colour", async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
  for (const name of ["login", "factor", "accountsToPay", "reviewPayment", "reviewAccess"]) {
    await page.goto(`${base}/${name}`);
    const looks = await page.locator(".choices button").evaluateAll((buttons) =>
      buttons.map((button) => {
        const { width, height } = button.getBoundingClientRect();
        const style = button.ownerDocument.defaultView?.getComputedStyle(button);
        return [width, height, style?.backgroundColor, style?.color, style?.fontWeight];
      }),
    );
    assert.equal(looks.length, 2, name);
    assert.deepEqual(looks[0], looks[1], name);
  }
  await page.close();
});

test("Enter in a field presses the button that goes on, or one that changes nothing", async () => {
  const page = await browser.newPage();
  for (const name of Object.keys(pages)) {
    await page.goto(`${base}/${name}`);
    const pressed = await page.evaluate(`[...document.forms]
      .filter((form) => form.querySelector("input:not([type=hidden])"))
      .map((form) => [...form.elements].find((each) => each.type === "submit"))
      .filter((button) => button?.matches(".plain-button, .link-button"))
      .map((button) => button.textContent)`);
    assert.deepEqual(pressed, [], name);
  }
  await page.close();
});

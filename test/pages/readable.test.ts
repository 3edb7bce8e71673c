import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import type { Browser } from "playwright-core";
import { registerAssets } from "#src/pages/assets.ts";
import { endingPage } from "#src/pages/journey.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";
import { axeFaults, looks, lookText, openPage } from "#test/axe.ts";
import { openBrowser } from "#test/browser.ts";
import { requestPages } from "./request-samples.ts";
import { journeyPages, ownPages } from "./samples.ts";

// a name with an ordinary long word, as payees and companies have them
const pages = Object.entries({
  ...journeyPages("Hawthorne & Sons Featherstonehaugh Refurbishments Ltd"),
  ...ownPages("Hawthorne & Sons Featherstonehaugh Refurbishments Ltd"),
  ...requestPages("Hawthorne & Sons Featherstonehaugh Refurbishments Ltd"),
  numberInText: endingPage({
    ...({ bankName: "Bank", clientName: "Test TPP", tone: "approved", title: "Approved" } as const),
    sentences: ["You approved £12.34 to Acme Supplies Ltd from Everyday (20-20-10 10981789)."],
    back: null,
  }),
});
let app: FastifyInstance;
let browser: Browser;
let base: string;

before(async () => {
  app = Fastify();
  registerAssets(app);
  for (const [name, text] of pages) {
    // without the redirect, which would leave the page
    const still = text.replace(/<meta http-equiv="refresh"[^>]*>/, "");
    app.get(`/${name}`, (_request, reply) => reply.headers(pageHeaders).send(still));
  }
  base = await app.listen({ host: "127.0.0.1", port: 0 });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await app?.close();
});

test("a sort code does not break at the end of a line, however wide the page is", async () => {
  const page = await browser.newPage();
  await page.goto(`${base}/numberInText`);
  const lines = "document.querySelector('.lead .whole').getClientRects().length";
  for (let width = 320; width < 500; width += 5) {
    await page.setViewportSize({ width, height: 844 });
    assert.equal(await page.evaluate(lines), 1, `at ${width} pixels`);
  }
  await page.close();
});

// The width of the window and the size of the root text.
// Source: WCAG 2.2 criterion 1.4.4; WCAG 2.2 criterion 1.4.10.
for (const [width, percent] of [
  [320, 100],
  [320, 200],
  [390, 100],
  [390, 200],
  [1280, 100],
  [1280, 200],
] as const) {
  test(`no customer page scrolls sideways or breaks a short word at ${width} pixels with text of ${percent} %`, async () => {
    const page = await browser.newPage({ viewport: { width, height: 844 } });
    const wide: string[] = [];
    for (const [name] of pages) {
      await page.goto(`${base}/${name}`);
      // the size of the style sheet is 106.25 % of the browser's
      await page.evaluate(`document.documentElement.style.fontSize = "${percent * 1.0625}%"`);
      await page.evaluate(
        "for (const one of document.querySelectorAll('details')) one.open = true",
      );
      const found = await page.evaluate<string[]>(`[...${outside}, ...${broken}]`);
      wide.push(...found.map((what) => `${name}: ${what}`));
    }
    assert.deepEqual(wide, []);
    await page.close();
  });
}

// Runs in the page: the elements whose right edge is outside the window, and text that its own
// element cuts off.
const outside = `(() => {
  const root = document.documentElement;
  const found = root.scrollWidth > root.clientWidth ? ["page " + root.scrollWidth] : [];
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest(".unseen, .skip, pre, input")) continue;
    const { right } = element.getBoundingClientRect();
    const cut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    if (right > root.clientWidth + 1 || (cut && getComputedStyle(element).display !== "inline")) {
      const name = element.tagName.toLowerCase() + "." + element.className;
      found.push(name + " " + Math.round(right) + " " + element.textContent.trim().slice(0, 30));
    }
  }
  return found.slice(0, 5);
})()`;

// Runs in the page: words of up to 12 letters that continue on another line, although half of the
// window's width would hold them.
const broken = `(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement.closest(".unseen, .skip, pre, svg")) continue;
    for (const { 0: word, index } of node.data.matchAll(/[^\\s-]{3,}/g)) {
      if (word.length > 12) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const parts = [...range.getClientRects()].filter(({ width }) => width > 0);
      const length = parts.reduce((sum, { width }) => sum + width, 0);
      const isBroken = parts.some(({ top }) => top > parts[0].bottom - 1);
      const isShort = length < document.documentElement.clientWidth / 2;
      if (isBroken && isShort) found.push("broken " + word);
    }
  }
  return found.slice(0, 5);
})()`;

for (const look of looks) {
  test(`WCAG: axe finds no fault on a customer page ${lookText(look)}`, async () => {
    const page = await openPage(browser, look);
    await page.setContent('<img src="x">');
    const found = (await axeFaults(page)).map((fault) => fault.split(":")[0]);
    assert.ok(found.includes("image-alt"), "axe finds the faults of a faulty page");
    const faults: string[] = [];
    for (const [name] of pages) {
      await page.goto(`${base}/${name}`);
      await page.evaluate(
        "for (const one of document.querySelectorAll('details')) one.open = true",
      );
      faults.push(...(await axeFaults(page)).map((fault) => `${name}: ${fault}`));
    }
    assert.deepEqual(faults, []);
    await page.close();
  });
}

test("WCAG: after a fault the title says so, the cursor is in the faulty field, and the field names the error", async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const faulty: string[] = [];
  const faultyElsewhere: string[] = [];
  for (const [name] of pages) {
    await page.goto(`${base}/${name}`);
    const alert = page.getByRole("alert");
    const isFault = (await alert.count()) > 0;
    assert.equal((await page.title()).startsWith("Error: "), isFault, name);
    if (!isFault) continue;
    const hasField = (await page.locator("main input:not([type=hidden])").count()) > 0;
    (hasField ? faulty : faultyElsewhere).push(name);
    assert.equal(await alert.isVisible(), true, name);
    if (hasField) {
      // the browser moves the cursor when it first draws the page
      await page.locator(":focus").waitFor();
      assert.deepEqual(await page.evaluate(focused), { isInvalid: true, isDescribed: true }, name);
    }
    // the error is in the window together with the field
    const box = await alert.boundingBox();
    const top = Number(await page.evaluate("scrollY"));
    assert.ok(box && box.y >= 0 && box.y + box.height <= 844, `${name} ${top}`);
  }
  assert.deepEqual(faulty.toSorted(), formsWithFault);
  assert.deepEqual(faultyElsewhere.toSorted(), faultsWithoutField);
  await page.close();
});

const formsWithFault = [
  "accountsToPay",
  "approvingFactor",
  "factor",
  "login",
  "namePasskey",
  "noneChosen",
  "ownConfirmAgain",
  "ownFactor",
  "ownLogin",
  "wrongFilter",
];

// What went wrong at the bank's own provider: there is no field to correct on these pages.
const faultsWithoutField = ["ownConfirmThere", "ownLoginThere"];

// Runs in the page: whether the field with the cursor, or its group, is marked as faulty, and is
// described by the error.
const focused = `(() => {
  const field = document.activeElement;
  const marked = field.closest('[aria-invalid="true"]');
  const ids = (marked?.getAttribute("aria-describedby") ?? "").split(" ");
  const isDescribed = ids.includes(document.querySelector("[role=alert]").id);
  return { isInvalid: marked !== null && field.matches("input"), isDescribed };
})()`;

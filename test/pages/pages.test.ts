import assert from "node:assert/strict";
import { test } from "node:test";
import { html, raw } from "#src/pages/html.ts";
import { endingPage } from "#src/pages/journey.ts";
import { type EndingFacts, textsOf } from "#src/pages/journey-endings.ts";
import { moneyText } from "#src/pages/wording.ts";
import { assertTypeset } from "./apostrophes.ts";
import { journeyPages, openPages, ownPages, samplePages } from "./samples.ts";

const hostile = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;

test("a template escapes text, and inserts markup unchanged", () => {
  const name = `<b>"A" & 'B'</b>`;
  const given = html`<p title="${name}">${[html`<i>${name}</i>`, raw("<br>"), null, false]}</p>`;
  const escaped = "&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;";
  assert.equal(given.text, `<p title="${escaped}"><i>${escaped}</i><br></p>`);
});

test("hostile text is escaped on every page", () => {
  for (const [page, text] of Object.entries(samplePages(hostile))) {
    assert.ok(!text.includes("<script>alert"), page);
    assert.ok(!text.includes("<img src=x"), page);
    // the value of an attribute contains no angle bracket
    for (const [, value] of text.matchAll(/="([^"]*)"/g)) assert.doesNotMatch(value ?? "", /[<>]/);
  }
});

test("no page contains inline script, style or event handlers", () => {
  for (const [page, text] of Object.entries(samplePages("Pocketwise"))) {
    assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=|javascript:/i, page);
    for (const [tag] of text.matchAll(/<script[^>]*>/g)) {
      assert.match(tag, /^<script src="\/assets\/[^"]+" defer>$/, page);
    }
  }
});

test("no customer page has a straight apostrophe", () => {
  const pages = { ...journeyPages("Pocketwise"), ...ownPages("Pocketwise") };
  for (const [page, text] of Object.entries(pages)) assertTypeset(text, page);
  assert.throws(() => assertTypeset("<p>the payee&#39;s bank</p>"), /payee's/);
});

test("pages load nothing from another origin", () => {
  for (const [page, text] of Object.entries(samplePages("Pocketwise"))) {
    for (const [, url] of text.matchAll(/\s(?:src|href|action)="([^"]*)"/g)) {
      if (["returning", "ending"].includes(page) && url?.startsWith("http://127.0.0.1:9/"))
        continue;
      // the customer's click opens the bank's app
      if (/inApp$/i.test(page) && url?.startsWith("https://app.bank.example/")) continue;
      assert.match(url ?? "", /^(\/(?!\/)|#)/, page);
    }
  }
});

test("every form has a Cancel button of the same weight as the others", () => {
  const pages = { ...journeyPages("Pocketwise"), ...ownPages("Pocketwise") };
  for (const [page, text] of Object.entries(pages)) {
    for (const [form] of text.matchAll(/<form[\s\S]*?<\/form>/g)) {
      if (form.includes("/bank/logout")) continue;
      // other buttons, such as that to select all accounts, neither go on nor leave
      const buttons = [...form.matchAll(/<button ([^>]*)>/g)]
        .map(([, attributes]) => attributes)
        .filter((each) => !/^class="((plain|link)-button|unseen)"/.test(each ?? ""));
      const leaving = /value="(cancel|decline|keep)"/;
      assert.equal(buttons.filter((each) => leaving.test(each ?? "")).length, 1, page);
      for (const each of buttons) {
        assert.match(each ?? "", /^class="button" name="decision" value="\w+"/, page);
        // a customer who cancels need not fill in the form
        if (each?.includes("cancel")) assert.match(each, / formnovalidate$/, page);
      }
    }
  }
});

test("every form contains its token", () => {
  const pages = { ...journeyPages("Pocketwise"), ...ownPages("Pocketwise") };
  for (const [page, text] of Object.entries(pages)) {
    for (const [form] of text.matchAll(/<form[\s\S]*?<\/form>/g)) {
      assert.match(form, /^<form[^>]*method="post"/, page);
      assert.ok(form.includes(`<input type="hidden" name="csrf" value="token">`), page);
    }
  }
});

test("the login page says that the TPP cannot see login details", () => {
  const { login = "" } = journeyPages("Pocketwise");
  assert.match(login, /Pocketwise\s+cannot see them/);
});

test("the second-factor page shows what the code confirms and accepts a one-time code", () => {
  const { factor = "" } = journeyPages("£10.00 to Acme Ltd");
  assert.match(factor, /is for this file of payments only\.<\/p>\s*<dl[^>]*>\s*<div><dt>£10\.00/);
  assert.match(factor, /<b>Nothing is paid yet\.<\/b> Next, you choose the account to pay from/);
  assert.match(factor, /autocomplete="one-time-code"/);
});

test("an account that cannot be chosen is disabled and shows the reason", () => {
  const { accountsToPay = "" } = journeyPages("Closed");
  const inputs = accountsToPay.match(/<input type="radio"[^>]*>/g) ?? [];
  assert.deepEqual(
    inputs.map((input) => / disabled/.test(input)),
    [false, true],
  );
  assert.match(accountsToPay, /<span class="reason">Closed/);
});

test("without an eligible account the page offers only the way back", () => {
  const { noAccount = "" } = journeyPages("Pocketwise");
  assert.match(noAccount, /value="cancel" formnovalidate>Back to Pocketwise</);
  assert.doesNotMatch(noAccount, /value="continue"/);
});

test("the page after a lock-out says until when it lasts, and when to start again", () => {
  const facts = { clientName: "Pocketwise", approval: null, noun: "access", consent: "unknown" };
  const rest = { isOwn: true, method: "code", lockedUntil: "06:27", reason: null };
  for (const outcome of ["locked", "too_many_codes"] as const) {
    const { title, next } = textsOf(outcome, { ...facts, ...rest } as EndingFacts);
    assert.match(title, /locked until 06:27$/);
    assert.equal(next, "After 06:27 you can start again from Pocketwise.");
  }
});

test("the page that returns to the TPP redirects by itself, has a link, and never leads to a script", () => {
  const { returning = "" } = journeyPages("x");
  assert.match(returning, /http-equiv="refresh" content="0; url=http:\/\/127\.0\.0\.1:9\/back/);
  assert.match(returning, /<a class="button" href="http:\/\/127\.0\.0\.1:9\/back/);
  const frame = {
    bankName: "B",
    clientName: "C",
    title: "T",
    sentences: [],
    tone: "plain",
  } as const;
  for (const url of ["javascript:alert(1)", "data:text/html,x", "//elsewhere.example"]) {
    assert.throws(() => endingPage({ ...frame, back: { url, atOnce: false } }));
  }
});

test("an ending that has to be read does not redirect by itself, and has a link", () => {
  const { ending = "", answered = "" } = journeyPages("x");
  assert.doesNotMatch(ending, /http-equiv="refresh"/);
  assert.match(ending, /<a class="button" href="http:\/\/127\.0\.0\.1:9\/back/);
  assert.doesNotMatch(answered, /http-equiv="refresh"|class="button"/);
});

test("the production home page names no customers and no TPPs", () => {
  const { productionHome = "" } = openPages("Pocketwise");
  assert.doesNotMatch(productionHome, /<table|Password|Sandbox/);
});

test("amounts are shown with every digit and a real minus sign", () => {
  assert.equal(moneyText(124950n, "GBP"), "£1,249.50");
  assert.equal(moneyText(-31022n, "GBP"), "−£310.22");
  assert.equal(moneyText(12345678901234567890n, "GBP"), "£123,456,789,012,345,678.90");
  assert.equal(moneyText(500n, "JPY"), "JP¥500");
});

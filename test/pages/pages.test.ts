import assert from "node:assert/strict";
import { test } from "node:test";
import { html, raw } from "#src/pages/html.ts";
import { returningPage } from "#src/pages/journey.ts";
import { moneyText } from "#src/pages/wording.ts";
import { journeyPages, openPages, ownPages, samplePages } from "./samples.ts";

const hostile = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;

test("a template escapes what it is given, and takes markup as markup", () => {
  const name = `<b>"A" & 'B'</b>`;
  const given = html`<p title="${name}">${[html`<i>${name}</i>`, raw("<br>"), null, false]}</p>`;
  const escaped = "&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;";
  assert.equal(given.text, `<p title="${escaped}"><i>${escaped}</i><br></p>`);
});

test("hostile text stays text on every page", () => {
  for (const [page, text] of Object.entries(samplePages(hostile))) {
    assert.ok(!text.includes("<script>alert"), page);
    assert.ok(!text.includes("<img src=x"), page);
    // whatever stands in an attribute leaves it closed by our own quotes
    for (const [, value] of text.matchAll(/="([^"]*)"/g)) assert.doesNotMatch(value ?? "", /[<>]/);
  }
});

test("no page has script, style or handlers in its markup", () => {
  for (const [page, text] of Object.entries(samplePages("Pocketwise"))) {
    assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=|javascript:/i, page);
    for (const [tag] of text.matchAll(/<script[^>]*>/g)) {
      assert.match(tag, /^<script src="\/assets\/[^"]+" defer>$/, page);
    }
  }
});

test("pages load nothing from elsewhere", () => {
  for (const [page, text] of Object.entries(samplePages("Pocketwise"))) {
    for (const [, url] of text.matchAll(/\s(?:src|href|action)="([^"]*)"/g)) {
      if (page === "returning" && url?.startsWith("http://127.0.0.1:9/")) continue;
      assert.match(url ?? "", /^(\/(?!\/)|#)/, page);
    }
  }
});

test("every form can be cancelled, by a button of the same weight as the others", () => {
  const pages = { ...journeyPages("Pocketwise"), ...ownPages("Pocketwise") };
  for (const [page, text] of Object.entries(pages)) {
    for (const [form] of text.matchAll(/<form[\s\S]*?<\/form>/g)) {
      if (form.includes("/bank/logout")) continue;
      const buttons = [...form.matchAll(/<button ([^>]*)>/g)].map(([, attributes]) => attributes);
      const leaving = /value="(cancel|decline|keep)"/;
      assert.equal(buttons.filter((each) => leaving.test(each ?? "")).length, 1, page);
      for (const each of buttons) {
        assert.match(each ?? "", /^class="button" name="decision" value="\w+"/, page);
        // a cancelling customer need not fill the form in
        if (each?.includes("cancel")) assert.match(each, / formnovalidate$/, page);
      }
    }
  }
});

test("every form carries its token", () => {
  const pages = { ...journeyPages("Pocketwise"), ...ownPages("Pocketwise") };
  for (const [page, text] of Object.entries(pages)) {
    for (const [form] of text.matchAll(/<form[\s\S]*?<\/form>/g)) {
      assert.match(form, /^<form[^>]*method="post"/, page);
      assert.ok(form.includes(`<input type="hidden" name="csrf" value="token">`), page);
    }
  }
});

test("the login page says that the TPP does not see login details", () => {
  const { login = "" } = journeyPages("Pocketwise");
  assert.match(login, /Pocketwise\s+cannot see them/);
});

test("the second factor states what it is bound to and takes a one-time code", () => {
  const { factor = "" } = journeyPages("£10.00 to Acme Ltd");
  assert.match(factor, /You are confirming<\/p>\s*<dl[^>]*>\s*<div><dt>£10\.00 to Acme Ltd/);
  assert.match(factor, /autocomplete="one-time-code"/);
});

test("an account that cannot be chosen says why and is disabled", () => {
  const { accountsToPay = "" } = journeyPages("Closed");
  const inputs = accountsToPay.match(/<input type="radio"[^>]*>/g) ?? [];
  assert.deepEqual(
    inputs.map((input) => / disabled/.test(input)),
    [false, true],
  );
  assert.match(accountsToPay, /<span class="reason">Closed/);
});

test("without an account to choose there is the way back only", () => {
  const { noAccount = "" } = journeyPages("Pocketwise");
  assert.match(noAccount, /value="cancel" formnovalidate>Back to Pocketwise</);
  assert.doesNotMatch(noAccount, /value="continue"/);
});

test("the way back is taken by itself, by a link, and never to a script", () => {
  const { returning = "" } = journeyPages("x");
  assert.match(returning, /http-equiv="refresh" content="0; url=http:\/\/127\.0\.0\.1:9\/back/);
  assert.match(returning, /<a class="button" href="http:\/\/127\.0\.0\.1:9\/back/);
  for (const continueUrl of ["javascript:alert(1)", "data:text/html,x", "//elsewhere.example"]) {
    const page = { bankName: "B", clientName: "C", outcome: "ended" as const, continueUrl };
    assert.throws(() => returningPage(page));
  }
});

test("the production home page names no customer and no app", () => {
  const { productionHome = "" } = openPages("Pocketwise");
  assert.doesNotMatch(productionHome, /<table|Password|Sandbox/);
});

test("the reference shows each operation with its base path, schema and answers", () => {
  const { reference = "" } = openPages("Pay");
  assert.match(reference, /<code>\/api\/open-banking\/v4\.0\/pisp\/domestic-payments<\/code>/);
  assert.match(reference, /<code>ConsentId<\/code> <span class="type">string<\/span>/);
  assert.match(reference, /<b class="code-4">403<\/b>/);
  assert.match(reference, /<form class="try" hidden/);
});

test("amounts are worded with every digit and a real minus", () => {
  assert.equal(moneyText(124950n, "GBP"), "£1,249.50");
  assert.equal(moneyText(-31022n, "GBP"), "−£310.22");
  assert.equal(moneyText(12345678901234567890n, "GBP"), "£123,456,789,012,345,678.90");
  assert.equal(moneyText(500n, "JPY"), "JP¥500");
});

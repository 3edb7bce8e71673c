import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBank, type TestBank } from "#test/harness.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank({ BANK_HOME_URL: "https://www.bank.example/start" });
});
after(() => bank?.close());

test("a customer who opens a page that does not exist is led to the bank's website", async () => {
  for (const path of ["/nothing", "/bank/nothing/at/all"]) {
    const answer = await fetch(`${bank.publicUrl}${path}`, { headers: { accept: "text/html" } });
    assert.equal(answer.status, 404, path);
    const text = await answer.text();
    assert.match(text, /<a href="https:\/\/www\.bank\.example\/start">Go to Aldgate Bank<\/a>/);
    assert.doesNotMatch(text, /href="\/(bank)?"/, path);
  }
});

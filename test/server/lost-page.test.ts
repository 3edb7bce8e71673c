import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBank, type TestBank } from "#test/harness.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank({ BANK_HOME_URL: "https://www.bank.example/start" });
});
after(() => bank?.close());

test("a program that leaves out or misspells parts of a path is told which one is likely", async () => {
  const base = "/api/open-banking/v4.0/pisp";
  for (const [path, said] of [
    ["/v4.0/domestic-payments", ` Did you mean ${base}/domestic-payments?`],
    ["/open-banking/v4.0/pisp/file-payments", ` Did you mean ${base}/file-payments?`],
    [
      "/pisp/domestic-payments/1/payment-details",
      `${base}/domestic-payments/{DomesticPaymentId}/payment-details?`,
    ],
    ["/Api/Open-Banking/V4.0/PISP/Domestic-Payments", ` Did you mean ${base}/domestic-payments?`],
    ["/open-bankng/v4.0/pisp/file-paymets", ` Did you mean ${base}/file-payments?`],
    ["/v4.0/nothing", "There is nothing at this address."],
    ["/v4.0/pisp/v4.0/pisp/v4.0/domestic-payments", "There is nothing at this address."],
    ["/bank/v4.0/domestic-payments", "There is nothing at this address."],
  ] as const) {
    for (const method of ["GET", "POST"]) {
      const answer = await fetch(`${bank.publicUrl}${path}`, { method });
      assert.equal(answer.status, 404, path);
      const { message } = (await answer.json()) as { message: string };
      assert.ok(message.endsWith(said), message);
    }
  }
});

test("a customer who opens a page that does not exist is led to the bank's website", async () => {
  for (const path of ["/nothing", "/bank/nothing/at/all"]) {
    const answer = await fetch(`${bank.publicUrl}${path}`, { headers: { accept: "text/html" } });
    assert.equal(answer.status, 404, path);
    const text = await answer.text();
    assert.match(text, /<a href="https:\/\/www\.bank\.example\/start">Go to Aldgate Bank<\/a>/);
    assert.doesNotMatch(text, /href="\/(bank)?"/, path);
  }
});

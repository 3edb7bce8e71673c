// What the bank's own pages say of an order that was opened when it could still be decided.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type OrderEnd, setOrderEnd } from "#test/payments/stored-orders.ts";
import { said, useOwnPages } from "./own-bed.ts";

const bed = useOwnPages();

const ends: [end: OrderEnd, approval: string, cancellation: string][] = [
  [
    { status: "CANC" },
    "This payment has already been cancelled.",
    "This payment has already been cancelled.",
  ],
  [
    { status: "RJCT", authorisation: "RJCT", reason: "U036" },
    "This payment was not approved in time. Nothing was paid.",
    "This payment was not approved in time. Nothing was paid.",
  ],
  [
    { status: "RJCT", authorisation: "RJCT", reason: "U037" },
    "This payment has been declined. Nothing was paid.",
    "This payment has been declined. Nothing was paid.",
  ],
  [{ status: "RJCT", reason: "AC04" }, "This payment has failed.", "This payment has failed."],
  [
    { status: "PATC", authorisation: "AWAF", signedBy: ["c2"] },
    "You have already approved this payment. Somebody else must approve it too.",
    "This payment is still waiting to be approved.",
  ],
  [
    { status: "ACSP", authorisation: "AUTH", signedBy: ["c1", "c2"] },
    "You have already approved this payment. No more approvals are needed.",
    "It is too late to cancel this payment.",
  ],
  [
    { status: "ACCC", authorisation: "AUTH", signedBy: ["c1", "c3"] },
    "This payment already has all its approvals.",
    "This payment has been made, so it can no longer be cancelled.",
  ],
  [
    { status: "INCO", family: "file" },
    "This file of payments does not need your approval.",
    "We have processed this file of payments, so it can no longer be cancelled.",
  ],
  [
    { status: "INCO", family: "standingOrder" },
    "This standing order does not need your approval.",
    "This standing order has no payment left that could be cancelled.",
  ],
];

for (const [end, approval, cancellation] of ends) {
  test(`an order with ${JSON.stringify(end)} says what has happened to it`, async () => {
    const browser = await bed.logIn("c2");
    await setOrderEnd(bed.database(), "sch-1", end);
    assert.equal(await said(browser, await browser.get("/bank/approvals/sch-1")), approval);
    assert.equal(await said(browser, await browser.get("/bank/upcoming/sch-1")), cancellation);
  });
}

test("an order that the customer does not have says that it cannot be found", async () => {
  const browser = await bed.logIn("c2");
  for (const path of ["/bank/approvals/none", "/bank/upcoming/none"]) {
    const text = "We cannot find this on your accounts.";
    assert.equal(await said(browser, await browser.get(path)), text);
  }
});

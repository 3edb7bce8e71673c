import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { JourneyBed } from "./journey-bed.ts";
import { openBefore } from "./journey-bed.ts";
import { picture, review } from "./page-bed.ts";
import { lodge } from "./payments.ts";

let bed: JourneyBed;
openBefore(async (opened) => {
  bed = opened;
});

const payee = (number: string, name: string) => ({
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: number,
  Name: name,
});

const rows: [name: string, payee: object, shows: RegExp | null][] = [
  ["the name", payee("00990000000041", "Amelia Hartley"), null],
  ["a bank that checks nothing", payee("00981120775630", "Ashdown Homes"), null],
  ["an initial", payee("00990000000041", "A Hartley"), /in the name of Amelia Jane Hartley/],
  ["another name", payee("00990000000042", "Acme Ltd"), /does not belong to Acme Ltd/],
  ["no answer", payee("00990000000044", "Anybody"), /could not check the payee’s name/],
];

for (const [name, creditor, shows] of rows) {
  test(`a customer who pays to ${name} sees what the payee's bank says`, async () => {
    const { consentId } = await lodge(bed.client, { payee: creditor });
    const text = await review(bed, consentId, { login: "amara", name: `payee-${name}` });
    if (shows) assert.match(text, shows);
    else assert.doesNotMatch(text, /in the name of|does not belong|could not check/);
  });
}

test("a payee at this bank is checked by the account's holder, and the customer may go on", async () => {
  const { bank, client, customers } = bed;
  const [own] = await bank.currentAccounts("finn");
  const number = present(own, "an account").identification;
  const { consentId } = await lodge(client, { payee: payee(number, "Fin Doyle") });
  const text = await review(bed, consentId, { login: "amara", name: "payee-own" });
  assert.match(text, /in the name of Finn Doyle/);
  const [account] = await bank.currentAccounts("amara");
  const accounts = [present(account, "an account").accountId];
  const given = { scope: "payments" as const, consentId, customer: "amara", accounts };
  assert.ok((await bank.approve(client, given)).access_token);
  assert.ok(customers);
});

test("a customer who sees a warning cancels, and nothing is authorised", async () => {
  const { bank, client, customers } = bed;
  const wrong = payee("00990000000042", "Acme Ltd");
  const { consentId } = await lodge(client, { payee: wrong });
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.page.setViewportSize({ width: 390, height: 844 });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  const [account] = await bank.currentAccounts("amara");
  await customer.goToApproval("amara", present(account, "an account").accountId);
  const wide = await customer.page.evaluate<number>("document.documentElement.scrollWidth");
  assert.ok(wide <= 390, `${wide} wide`);
  await picture(customer, "payee-warning");
  await customer.page.getByRole("button", { name: "Cancel" }).click();
  const token = await client.clientToken("payments");
  const path = `/v4.0/pisp/domestic-payment-consents/${consentId}`;
  const read = await client.call<{ Data: { Status: string } }>({ path, token });
  assert.equal(read.body.Data.Status, "RJCT");
  await customer.leave();
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "#packages/client/src/index.ts";
import { openSandbox, type Sandbox } from "#packages/client/src/sandbox.ts";
import { openBank, type TestBank } from "#test/harness.ts";

let bank: TestBank;
let sandbox: Sandbox;
before(async () => {
  bank = await openBank();
  sandbox = openSandbox(bank.publicUrl);
});
after(() => bank.close());

const initiation = {
  InstructionIdentification: "instruction-1",
  EndToEndIdentification: "end-1",
  InstructedAmount: { Amount: "10.00", Currency: "GBP" },
  CreditorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "20202010981789",
    Name: "Dr Foo",
  },
} as const;

test("a domestic payment from the consent to its settlement", async () => {
  const client = await connect(await sandbox.createTpp());
  const payments = client.payments("domestic-payment");
  const consent = await payments.createConsent({ Data: { Initiation: initiation }, Risk: {} });
  const login = await client.authorise(consent);
  const grant = await client.finish(login, await sandbox.approve(login, { customer: "amara" }));
  const funds = await payments.confirmFunds(consent, grant);
  assert.equal(funds.Data.FundsAvailableResult?.FundsAvailable, true);
  const order = await payments.submit(consent, grant);
  const final = await payments.waitUntilFinal(order);
  assert.equal(final.Data.Status, "ACSC");
  client.close();
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { Visitor } from "#test/auth/visitor.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, order, readConsent, readOrder, submit } from "#test/journeys/payments.ts";

// The outcomes 33 to 35: what the sandbox bank decides before it accepts an order.

const kind = "domestic-payment";
let bank: TestBank;
let client: TppClient;
let accountId: string;
before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
});
after(() => bank?.close());

// a payee without an outcome, which would come before that of the reference
const payee = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "00981120775630",
  Name: "Ashdown Homes",
};

const lodgeOutcome = (number: string) =>
  lodge(client, {
    payee,
    initiation: { RemittanceInformation: { Unstructured: [`OUTCOME ${number}`] } },
  });

async function approved(number: string) {
  const lodged = await lodgeOutcome(number);
  const given = { scope: "payments" as const, customer: "amara", accounts: [accountId] };
  const tokens = await bank.approve(client, { ...given, consentId: lodged.consentId });
  return { lodged, token: tokens.access_token };
}

test("P-165: an order with outcome 33 is rejected in its response, and has used its consent", async () => {
  const { lodged, token } = await approved("33");
  const { status, body } = await submit(client, lodged, token);
  assert.equal(status, 201);
  assert.equal(body.Data.Status, "RJCT");
  const [reason] = body.Data.StatusReason as { StatusReasonCode: string }[];
  assert.equal(reason?.StatusReasonCode, "AM14");
  assert.equal((await readConsent(client, `${kind}-consents`, lodged.consentId)).status, "COND");
});

test("an order with outcome 34 is pending for a day, and is then paid", async () => {
  const { lodged, token } = await approved("34");
  const id = await order(client, lodged, token);
  await bank.advance("PT23H");
  assert.equal((await readOrder(client, kind, id)).Status, "PDNG");
  await bank.advance("PT2H");
  assert.equal((await readOrder(client, kind, id)).Status, "ACCC");
});

test("outcome 35 asks the customer for a second code, which differs from the first", async () => {
  const { consentId } = await lodgeOutcome("35");
  const visitor = new Visitor(bank);
  await visitor.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await visitor.submit({ login: "amara", password: "amara-sandbox", decision: "continue" });
  const first = codeOn(visitor);
  await visitor.confirm();
  await visitor.submit({ account: accountId, decision: visitor.go });
  const second = codeOn(visitor);
  assert.match(visitor.shown.body, /This payment is unusual/);
  assert.notEqual(first, second);
  await visitor.submit({ code: first, decision: "approve" });
  assert.equal((await readConsent(client, `${kind}-consents`, consentId)).status, "AWAU");
  await visitor.submit({ code: codeOn(visitor), decision: "approve" });
  assert.equal((await readConsent(client, `${kind}-consents`, consentId)).status, "AUTH");
});

const codeOn = ({ shown }: Visitor): string =>
  present(/<code class="big">(\d+)</.exec(shown.body)?.[1], "the code on the page");

test("a customer without a browser approves a payment with outcome 35, too", async () => {
  const { lodged, token } = await approved("35");
  assert.match(await order(client, lodged, token), /^dp-/);
});

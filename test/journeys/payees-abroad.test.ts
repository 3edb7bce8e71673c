import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { logIn } from "./log-in.ts";
import { lodge, lodgeAccess, type Order, order, untilStatus } from "./payments.ts";

// A foreign account number does not identify a bank, so every page and resource that shows the
// payee must show the payee's bank.

type Item = Record<string, unknown>;
type List = { Data: Record<string, Item[]> };

const agent = { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" };
const payee = {
  SchemeName: "UK.OBIE.BBAN",
  Identification: "000099000001",
  Name: "Bright Harbor",
};
const abroad = {
  CurrencyOfTransfer: "USD",
  InstructedAmount: { Amount: "25.00", Currency: "USD" },
  CreditorAgent: agent,
};

let bank: TestBank;
let client: TppClient;
let accountId: string;

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  const accounts = await bank.currentAccounts("iris");
  accountId = present(
    accounts.find(({ currency }) => currency === "USD"),
    "an account in dollars",
  ).accountId;
});
after(() => bank?.close());

async function make(given: Order): Promise<string> {
  const lodged = await lodge(client, { payee, ...given });
  const tokens = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "iris",
    accounts: [accountId],
  });
  return order(client, lodged, tokens.access_token);
}

async function list(resource: string, permission: string): Promise<Item[]> {
  const consentId = await lodgeAccess(client, { Permissions: ["ReadAccountsBasic", permission] });
  const tokens = await bank.approve(client, {
    scope: "accounts",
    consentId,
    customer: "iris",
    accounts: [accountId],
  });
  const answer = await client.call<List>({
    path: `/v3.1/aisp/accounts/${accountId}/${resource}`,
    token: tokens.access_token,
  });
  expectStatus(answer, 200);
  return present(Object.values(answer.body.Data)[0], resource);
}

const dateIn = (days: number): string =>
  `${bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().add({ days })}T00:00:00+00:00`;

test("A-212: a scheduled international payment shows the creditor's bank only with Detail", async () => {
  const id = await make({
    kind: "international-scheduled-payment",
    initiation: { ...abroad, RequestedExecutionDateTime: dateIn(20) },
  });
  const find = async (permission: string) =>
    (await list("scheduled-payments", permission)).find((one) => one.ScheduledPaymentId === id);
  const detail = present(await find("ReadScheduledPaymentsDetail"), "the payment");
  assert.deepEqual(detail.CreditorAgent, agent);
  assert.deepEqual(detail.CreditorAccount, payee);
  const basic = present(await find("ReadScheduledPaymentsBasic"), "the payment");
  assert.ok(!("CreditorAgent" in basic) && !("CreditorAccount" in basic));
});

test("A-162: an international standing order shows the creditor's bank only with Detail", async () => {
  const id = await make({
    kind: "international-standing-order",
    initiation: {
      ...abroad,
      InstructionIdentification: undefined,
      EndToEndIdentification: undefined,
      MandateRelatedInformation: {
        FirstPaymentDateTime: dateIn(20),
        Frequency: { Type: "MNTH" },
      },
    },
  });
  const find = async (permission: string) =>
    (await list("standing-orders", permission)).find((one) => one.StandingOrderId === id);
  assert.deepEqual(present(await find("ReadStandingOrdersDetail"), id).CreditorAgent, agent);
  assert.ok(!("CreditorAgent" in present(await find("ReadStandingOrdersBasic"), id)));
});

test("A-163: an international payee is saved with its bank, and the same number at another bank is another payee", async () => {
  const second = { ...agent, Identification: "NONEUS33XXX" };
  for (const CreditorAgent of [agent, second]) {
    const initiation = { ...abroad, CreditorAgent };
    const id = await make({ kind: "international-payment", initiation });
    await untilStatus(client, "international-payment", id, "ACCC");
  }
  const visitor = await logIn(bank, "iris");
  for (const bic of [agent.Identification, second.Identification]) {
    await visitor.open(`${bank.publicUrl}/bank/payees`);
    const line = new RegExp(`000099000001 at ${bic}<.*?href="/bank/paid/([^"]+)"`, "s");
    const paid = present(line.exec(visitor.shown.body)?.[1], bic);
    await visitor.open(`${bank.publicUrl}/bank/paid/${paid}`);
    await visitor.submit({ decision: "save" });
    await visitor.confirm();
    assert.match(visitor.shown.body, /is now on your list of payees/);
  }
  const saved = (await list("beneficiaries", "ReadBeneficiariesDetail")).filter(
    ({ CreditorAccount }) => (CreditorAccount as { Name: string }).Name === payee.Name,
  );
  assert.deepEqual(saved.map((one) => one.CreditorAgent).sort(byBic), [agent, second]);
  const basic = await list("beneficiaries", "ReadBeneficiariesBasic");
  assert.ok(basic.every((one) => !("CreditorAgent" in one)));
});

const byBic = (a: unknown, b: unknown): number =>
  JSON.stringify(a).length - JSON.stringify(b).length;

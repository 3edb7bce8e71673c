import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { runCommand } from "#test/server/run-command.ts";
import { openOver, type SecondBank, startSecondBank } from "./second-bank.ts";
import { shownFacts } from "./shown-facts.ts";

// A bank other than the sandbox sends each kind of facts through the feed. Both versions show them
// over HTTP.
let second: SecondBank;
let bank: TestBank;
let client: TppClient;
let token: string;

before(async () => {
  second = await startSecondBank();
  bank = await openOver(second);
  client = await bank.createTpp();
  const consentId = await lodgeAccess(client, {
    Permissions: [
      "ReadAccountsDetail",
      "ReadBalances",
      "ReadBeneficiariesDetail",
      "ReadDirectDebits",
      "ReadOffers",
      "ReadParty",
      "ReadPartyPSU",
      "ReadScheduledPaymentsDetail",
      "ReadStandingOrdersDetail",
      "ReadStatementsDetail",
    ],
  });
  ({ access_token: token } = await bank.approve(client, {
    scope: "accounts",
    consentId,
    customer: "ada",
    accounts: [accountId],
  }));
});
after(async () => {
  await bank?.close();
  await second?.close();
});

const accountId = "second-current";
const versions = ["v3.1", "v4.0"] as const;

type Item = Record<string, unknown>;

async function read(version: (typeof versions)[number], path: string): Promise<Item[]> {
  type Body = { Data: Record<string, Item | Item[]> };
  const answer = await client.call<Body>({
    path: `/${version}/aisp${path.replace(":id", accountId)}`,
    token,
  });
  expectStatus(answer, 200);
  return Object.values(answer.body.Data).flat();
}

/** Each kind of facts: its path, some members of an item, and the removal of the fact. */
const kinds: {
  path: string;
  shows: Item;
  inV4?: Item;
  /** Absent for balances, because the standard's list must have at least one. */
  removed?: AccountChanges["removed"];
}[] = [
  {
    path: "/accounts/:id/balances",
    shows: {
      Amount: { Amount: "10000.00", Currency: "GBP" },
      Type: "InterimBooked",
      DateTime: "2026-01-06T00:00:00Z",
    },
    inV4: { Type: "ITBD" },
  },
  {
    path: "/accounts/:id/direct-debits",
    shows: {
      DirectDebitId: "second-mandate-1",
      Name: "Quill Water",
      DirectDebitStatusCode: "Active",
      PreviousPaymentAmount: { Amount: "25.00", Currency: "GBP" },
      PreviousPaymentDateTime: "2026-01-05T09:00:00Z",
    },
    inV4: { DirectDebitStatusCode: "ACTV" },
    removed: { directDebits: [{ version: 2n, accountId, directDebitId: "second-mandate-1" }] },
  },
  {
    path: "/accounts/:id/standing-orders",
    shows: {
      StandingOrderId: "second-standing-1",
      StandingOrderStatusCode: "Active",
      NextPaymentDateTime: "2026-02-05T00:00:00Z",
      LastPaymentAmount: { Amount: "800.00", Currency: "GBP" },
      CreditorAccount: {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification: "20001512345678",
        Name: "L. Landlord",
      },
    },
    inV4: { StandingOrderStatusCode: "ACTV" },
    removed: { standingOrders: [{ version: 2n, accountId, standingOrderId: "second-standing-1" }] },
  },
  {
    path: "/accounts/:id/scheduled-payments",
    shows: {
      ScheduledPaymentId: "second-scheduled-1",
      ScheduledPaymentDateTime: "2030-06-01T00:00:00Z",
      InstructedAmount: { Amount: "1200.00", Currency: "GBP" },
      Reference: "DEPOSIT",
    },
    removed: {
      scheduledPayments: [{ version: 2n, accountId, scheduledPaymentId: "second-scheduled-1" }],
    },
  },
  {
    path: "/accounts/:id/statements",
    shows: {
      StatementId: "second-statement-1",
      StatementReference: "7",
      StartDateTime: "2025-12-01T00:00:00Z",
      EndDateTime: "2025-12-31T23:59:59Z",
    },
    removed: { statements: [{ version: 2n, accountId, statementId: "second-statement-1" }] },
  },
  {
    path: "/accounts/:id/beneficiaries",
    shows: { BeneficiaryId: "second-payee-1", Reference: "RENT" },
    removed: { beneficiaries: [{ version: 2n, beneficiaryId: "second-payee-1" }] },
  },
  {
    path: "/accounts/:id/offers",
    shows: { OfferId: "second-offer-1", Description: "An overdraft of 500 pounds" },
    removed: { offers: [{ version: 2n, accountId, offerId: "second-offer-1" }] },
  },
  {
    path: "/party",
    shows: { PartyId: "second-ada", Name: "Ada Quill", EmailAddress: "ada@quill.example" },
    removed: { parties: [{ version: 2n, partyId: "second-ada" }] },
  },
];

for (const { path, shows, inV4 = {} } of kinds) {
  test(`both versions show the core's facts at ${path}`, async () => {
    for (const version of versions) {
      const [item, ...others] = await read(version, path);
      assert.deepEqual(others, [], "each fact is shown once");
      const expected = version === "v4.0" ? { ...shows, ...inV4 } : shows;
      const found = Object.keys(expected).map((name) => [name, item?.[name]]);
      assert.deepEqual(Object.fromEntries(found), expected);
    }
  });
}

test("the core's facts are the same after they have been sent again", async () => {
  const { path } = present(kinds[0], "balances");
  const earlier = await read("v4.0", path);
  await createAccountFeed(bank.database).apply(shownFacts);
  assert.deepEqual(await read("v4.0", path), earlier);
});

const statementFile = (accept: string) =>
  client.call<Buffer>({
    path: `/v4.0/aisp/accounts/${accountId}/statements/second-statement-1/file`,
    token,
    headers: { accept },
  });

test("A-218: the PDF of a statement is the core's document", async () => {
  const answer = await statementFile("application/pdf");
  expectStatus(answer, 200);
  assert.equal(answer.headers["content-type"], "application/pdf");
  assert.equal(answer.raw.toString(), "%PDF-1.7 second-statement-1 for second-ada");
});

test("a core that fails at documents is called for accounts as before, and the table is served", async () => {
  await second.calls(); // forgets the earlier ones
  await second.fail({ call: "loadStatementDocument", how: "fail" });
  for (let call = 0; call < 7; call += 1) {
    const answer = await statementFile("application/pdf");
    expectStatus(answer, 503);
    assert.ok(Number(answer.headers["retry-after"]) > 0);
  }
  // the failures are about one customer, so they do not pause the calls of others
  const reached = (await second.calls()).filter(({ call }) => call === "loadStatementDocument");
  assert.equal(reached.length, 7);
  assert.equal((await bank.customers())[0]?.accounts.length, 4);
  expectStatus(await statementFile("text/csv"), 200);
  await second.fail();
});

test("a wrong fact is listed by the command and counted by the gauge until it is sent right, and the others of its call are shown", async () => {
  const feed = createAccountFeed(bank.database);
  const [offer] = shownFacts.offers ?? [];
  assert.ok(offer);
  const right = { ...offer, offerId: "second-offer-right", version: 1n };
  const wrong = { ...offer, offerId: "second-offer-wrong", version: 1n, details: { Rate: 4 } };
  await feed.apply({ offers: [wrong as unknown as typeof offer, right] }, { source: "offers" });
  const shown = await read("v4.0", "/accounts/:id/offers");
  assert.ok(shown.some(({ OfferId }) => OfferId === "second-offer-right"));
  const environment = {
    PUBLIC_URL: bank.publicUrl,
    PUBLIC_PORT: new URL(bank.publicUrl).port,
    MTLS_PORT: new URL(bank.mtlsUrl).port,
  };
  const list = async () => (await runCommand("facts refused", environment)).printed;
  assert.match(await list(), /offers {2}offers second-offer-wrong: \/details\/Rate must /);
  const gauge = async () => await (await fetch(`${bank.managementUrl}/metrics`)).text();
  assert.match(await gauge(), /aldgate_facts_refused\{source="offers"\} 1/);
  await feed.apply({ offers: [{ ...wrong, details: offer.details }] }, { source: "offers" });
  assert.match(await list(), /No fact was refused/);
  await feed.apply({
    removed: { offers: [right, wrong].map(({ offerId }) => ({ accountId, offerId, version: 2n })) },
  });
  assert.doesNotMatch(await gauge(), /aldgate_facts_refused\{source="offers"\}/);
});

for (const { path, removed } of kinds) {
  if (!removed) continue;
  test(`a removal empties ${path}, and an older version that arrives later does not fill it`, async () => {
    const feed = createAccountFeed(bank.database);
    await feed.apply({ removed });
    assert.deepEqual(await read("v3.1", path), []);
    await feed.apply(shownFacts);
    assert.deepEqual(await read("v3.1", path), []);
  });
}

// A TPP should not need a profile for this bank. These tests check that it has none of the
// deviations of real banks for which client libraries have a switch, such as the bank profiles of
// https://github.com/finlabsuk/open-banking-connector.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "#src/lib/clock.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Database } from "#src/storage/database.ts";
import { movePending } from "#test/account-store/stored-facts.ts";
import { copySeeded, expectStatus, type TestBank } from "#test/harness.ts";
import { lodge, type Resource, readOrder, submit, untilStatus } from "./payments.ts";
import { type Access, type Bed, openBed, type Page, type Paid } from "./profile-free.ts";

let bed: Bed;
let bank: TestBank;
let client: TppClient;
let access: Access;
let paid: Paid;
before(async () => {
  bed = await openBed(await withPendingPurchases());
  ({ bank, client } = bed);
  access = await bed.grantAccess();
  paid = await bed.pay();
});
after(() => bank?.close());

/**
 * A seeded database whose pending purchases are booked the day after tomorrow. Otherwise they are
 * booked at the midnight after the seeding, which may pass before or during this file.
 */
async function withPendingPurchases(): Promise<Database> {
  const database = await copySeeded();
  const booking = systemClock.now().toZonedDateTimeISO("UTC").startOfDay().add({ days: 2 });
  await movePending(database, booking.toInstant());
  return database;
}

const read = <Body = Resource>(path: string, token = access.tokens.access_token) =>
  bed.read<Body>(path, token);
const allTransactions = () => bed.transactions(access);
const transactionsPath = () => `/accounts/${access.accountId}/transactions`;

test("debtor, creditor and numbers are returned exactly as sent", async () => {
  const [account] = await bank.currentAccounts("amara");
  const debtor = {
    SchemeName: account?.schemeName,
    Identification: account?.identification,
    Name: "Amara Okafor",
  };
  const { lodged, answer, orderId } = await bed.pay({ initiation: { DebtorAccount: debtor } });
  assert.deepEqual(answer.body.Data.Initiation, lodged.initiation);
  const seen = await readOrder(client, "domestic-payment", orderId);
  assert.deepEqual(seen.Initiation, lodged.initiation);
  assert.ok(seen.Debtor);
});

test("a requested refund account is returned", async () => {
  const [account] = await bank.currentAccounts("amara");
  const asked = await bed.pay({
    data: { ReadRefundAccount: "Yes" },
    initiation: {
      DebtorAccount: {
        SchemeName: account?.schemeName,
        Identification: account?.identification,
        Name: "Amara Okafor",
      },
    },
  });
  const { Account } = asked.answer.body.Data.Refund as { Account: Record<string, string> };
  assert.equal(Account.Identification, account?.identification);
  assert.equal((await bed.pay()).answer.body.Data.Refund, undefined);
});

test("Risk is accepted in every form that the standard allows", async () => {
  const risks = [
    {},
    { PaymentContextCode: "TransferToThirdParty" },
    { PaymentContextCode: "TransferToSelf", ContractPresentIndicator: true },
    { ContractPresentIndicator: false, MerchantCategoryCode: "5812" },
  ];
  for (const Risk of risks) {
    const answer = await client.call<Resource & { Risk: object }>({
      path: "/v4.0/pisp/domestic-payment-consents",
      token: await client.clientToken("payments"),
      body: { Data: { Initiation: paid.lodged.initiation }, Risk },
    });
    expectStatus(answer, 201);
    assert.deepEqual(answer.body.Risk, Risk);
  }
});

const lodgeSigned = async (header: Record<string, unknown>): Promise<Answer> => {
  const body = { Data: { Initiation: paid.lodged.initiation }, Risk: {} };
  const bytes = Buffer.from(JSON.stringify(body));
  return client.call({
    path: "/v4.0/pisp/domestic-payment-consents",
    token: await client.clientToken("payments"),
    body: bytes.toString(),
    signed: false,
    headers: { "x-jws-signature": await client.signature(bytes, header) },
  });
};

test("a message signature needs no b64 header", async () => {
  expectStatus(await lodgeSigned({}), 201);
});

test("a message signature may name its signer by ids or by the certificate", async () => {
  const { organisationId, softwareId } = client.tpp;
  const subject = `C=GB, O=OpenBanking, OU=${organisationId}, CN=${softwareId}`;
  const reversed = `CN=${softwareId},OU=${organisationId},O=OpenBanking,C=GB`;
  for (const iss of [`${organisationId}/${softwareId}`, subject, reversed]) {
    expectStatus(await lodgeSigned({ "http://openbanking.org.uk/iss": iss }), 201);
  }
});

test("funds are confirmed up to the available balance, and not beyond", async () => {
  for (const [amount, available] of [
    ["1.00", true],
    ["99999.00", false],
  ] as const) {
    const lodged = await lodge(client, { amount });
    const token = await bed.authorise(lodged);
    const answer = await client.call<{ Data: { FundsAvailableResult: Record<string, unknown> } }>({
      path: `/v4.0/pisp/domestic-payment-consents/${lodged.consentId}/funds-confirmation`,
      token,
    });
    expectStatus(answer, 200);
    assert.equal(answer.body.Data.FundsAvailableResult.FundsAvailable, available);
  }
});

test("a payment reaches a final status", async () => {
  const done = await untilStatus(client, "domestic-payment", paid.orderId, "ACCC");
  assert.equal(done.Status, "ACCC");
});

test("text that cannot be carried is refused with the consent, never cut off", async () => {
  const long = { Unstructured: ["R".repeat(141)] };
  const answer = await client.call({
    path: "/v4.0/pisp/domestic-payment-consents",
    token: await client.clientToken("payments"),
    body: {
      Data: { Initiation: { ...paid.lodged.initiation, RemittanceInformation: long } },
      Risk: {},
    },
  });
  expectStatus(answer, 400);
  const reference = "ABC-1 /?:().,'+ xyz";
  const { orderId } = await bed.pay({
    initiation: { RemittanceInformation: { Unstructured: [reference] } },
  });
  await untilStatus(client, "domestic-payment", orderId, "ACCC");
  const page = await read<Page>(transactionsPath());
  assert.ok(JSON.stringify(page.body).includes(JSON.stringify(reference).slice(1, -1)));
});

test("transactions have dates, all mandatory members and unsigned amounts", async () => {
  for (const one of await allTransactions()) {
    const text = JSON.stringify(one);
    assert.match(one.Amount.Amount, /^\d{1,13}\.\d{1,5}$/, text);
    assert.match(one.CreditDebitIndicator ?? "", /^(Credit|Debit)$/, text);
    assert.ok(!Number.isNaN(Date.parse(one.BookingDateTime)), text);
    assert.match(one.BookingDateTime, /T.*(Z|[+-]\d\d:\d\d)$/, text);
    assert.doesNotMatch(text, /":(null|""|\{\})/, text);
  }
});

test("date filters work with and without zone or time", async () => {
  const day = bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().subtract({ days: 30 });
  for (const from of [`${day}`, `${day}T00:00:00`, `${day}T00:00:00Z`, `${day}T00:00:00+00:00`]) {
    const query = new URLSearchParams({ fromBookingDateTime: from });
    const page = await read<Page>(`${transactionsPath()}?${query}`);
    expectStatus(page, 200);
    for (const one of page.body.Data.Transaction) {
      assert.ok(one.BookingDateTime >= `${day}`, from);
    }
  }
});

test("a client without a profile of the bank can pay and see the payment in the account", async () => {
  const { lodged } = paid;
  const other = await submit(client, lodged, await bed.authorise(await lodge(client)));
  assert.ok(other.status >= 400, "a token reads only its own consent");
  const all = await allTransactions();
  assert.ok(all.some((one) => one.Amount.Amount === "1.00"));
});

test("a later session can read the accounts and the whole history again", async () => {
  const { tokens } = await bed.grantAccess();
  await bank.advance("PT10M");
  const renewed = await client.refresh(tokens.refresh_token ?? "");
  const accounts = await read("/accounts", renewed.access_token);
  expectStatus(accounts, 200);
  const old = await read<Page>(
    `${transactionsPath()}?toBookingDateTime=${bank.clock.now().add({ hours: -24 * 100 })}`,
    renewed.access_token,
  );
  expectStatus(old, 200);
  assert.ok(old.body.Data.Transaction.length > 0);
});

test("a transaction keeps its id when it is booked, and is not booked early", async () => {
  access = await bed.grantAccess();
  const before = await allTransactions();
  const now = bank.clock.now().epochMilliseconds;
  const pending = before.filter((one) => one.Status === "Pending");
  assert.ok(pending.length > 0);
  for (const one of before) {
    const day = Date.parse(one.BookingDateTime);
    // a pending transaction has the day on which its booking is expected
    if (one.Status !== "Pending") assert.ok(day <= now, JSON.stringify(one));
    assert.ok(day <= now + 7 * 86_400_000, JSON.stringify(one));
  }
  await bank.advance("P10D");
  access = await bed.grantAccess();
  const after = new Map((await allTransactions()).map((one) => [one.TransactionId, one]));
  for (const { TransactionId: id } of before) assert.ok(after.has(id ?? ""));
  for (const one of pending) {
    const booked = after.get(one.TransactionId);
    assert.equal(booked?.Status, "Booked");
    assert.deepEqual(booked?.Amount, one.Amount);
  }
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { isWorkingDay } from "#src/payments/calendar/timing.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { paymentsOf } from "#test/payments/stored-orders.ts";
import { quietPersonas } from "#test/sandbox/quiet-personas.ts";
import { postingsOf } from "#test/sandbox/stored-ledger.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { lodgeAccess, type Resource } from "./payments.ts";

const stem = "/v4.0/pisp/domestic-standing-order";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore(async (bed) => {
  ({ bank, customers, client } = bed);
  await quietPersonas(bank.database);
});

/** The current date of the bank's clock in London. */
const today = (): Temporal.PlainDate =>
  bank.clock.now().toZonedDateTimeISO("Europe/London").toPlainDate();

const quiet = async (login: string, nickname: string) =>
  present(
    (await bank.currentAccounts(login)).find((one) => one.nickname === nickname),
    nickname,
  );

const acme = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "00990000000001",
  Name: "Acme Supplies Ltd",
};

type Lodged = { consentId: string; initiation: object };

/** Creates a consent to a monthly standing order that starts in five days. */
async function lodge(payee: object, more: object = {}): Promise<Lodged> {
  const initiation = {
    MandateRelatedInformation: {
      FirstPaymentDateTime: `${today().add({ days: 5 })}T00:00:00+00:00`,
      Frequency: { Type: "MNTH" },
    },
    NumberOfPayments: "12",
    FirstPaymentAmount: { Amount: "11.00", Currency: "GBP" },
    RecurringPaymentAmount: { Amount: "12.00", Currency: "GBP" },
    FinalPaymentAmount: { Amount: "13.00", Currency: "GBP" },
    CreditorAccount: payee,
    RemittanceInformation: { Unstructured: ["Rent"] },
    ...more,
  };
  const answer = await client.call<Resource>({
    path: `${stem}-consents`,
    token: await client.clientToken("payments"),
    body: { Data: { Permission: "Create", Initiation: initiation }, Risk: {} },
  });
  expectStatus(answer, 201);
  return { consentId: String(answer.body.Data.ConsentId), initiation };
}

async function submit({ consentId, initiation }: Lodged, token: string): Promise<string> {
  const answer = await client.call<Resource>({
    path: `${stem}s`,
    token,
    body: { Data: { ConsentId: consentId, Initiation: initiation }, Risk: {} },
  });
  expectStatus(answer, 201);
  return String(answer.body.Data.DomesticStandingOrderId);
}

async function read<T>(path: string): Promise<T> {
  const token = await client.clientToken("payments");
  const answer = await client.call<{ Data: T }>({ path: `${stem}s/${path}`, token });
  expectStatus(answer, 200);
  return answer.body.Data;
}

type Details = { PaymentStatus: { PaymentTransactionId: string; Status: string }[] };

const statusesOf = async (id: string): Promise<string[]> =>
  (await read<Details>(`${id}/payment-details`)).PaymentStatus.map(({ Status }) => Status);

const enterBank = (login: string) => customers.enterBank(bank, login);

type Shown = {
  StandingOrderId: string;
  MandateRelatedInformation: Record<string, unknown>;
  RemittanceInformation: object;
};

type Transaction = {
  TransactionReference?: string;
  Amount: { Amount: string };
  CreditDebitIndicator: string;
  BookingDateTime: string;
  ProprietaryBankTransactionCode: { Code: string };
};

/** Lists the transactions of payments on an account, oldest first, as an AISP reads them. */
async function linesOf(login: string, accountId: string, ids: string[]): Promise<Transaction[]> {
  const consentId = await lodgeAccess(client);
  const { access_token: token } = await bank.approve(client, {
    scope: "accounts",
    consentId,
    customer: login,
    accounts: [accountId],
  });
  const found: Transaction[] = [];
  let path: string | undefined = `/v3.1/aisp/accounts/${accountId}/transactions`;
  while (path !== undefined) {
    const page: Awaited<ReturnType<typeof client.call<Page>>> = await client.call<Page>({
      path,
      token,
    });
    expectStatus(page, 200);
    const { Transaction } = page.body.Data;
    found.push(...Transaction.filter((one) => ids.includes(one.TransactionReference ?? "")));
    path =
      found.length < ids.length ? page.body.Links.Next?.replace(/^.*open-banking/, "") : undefined;
  }
  return found.reverse();
}

type Page = { Data: { Transaction: Transaction[] }; Links: { Next?: string } };

test("a standing order pays through a year of the bank's clock, on both sides", async () => {
  const payer = await quiet("chloe", "Chloe's account");
  const [payee] = await bank.currentAccounts("amara");
  assert.ok(payee);
  const lodged = await lodge({
    SchemeName: payee.schemeName,
    Identification: payee.identification,
    Name: "Amara Okafor",
  });
  const customer = await customers.arrive();
  await customer.open(
    await client.authorizationUrl({ scope: "payments", consentId: lodged.consentId }),
  );
  await customer.goToApproval("chloe", payer.accountId);
  const shown = await customer.text();
  assert.match(shown, /Check your standing order/);
  assert.match(shown, /First payment\s?£11\.00 on \w+day \d+ \w+ 20\d\d/);
  assert.match(shown, /After that\s?£12\.00 on the \d+\w\w of every month/);
  assert.match(shown, /Last payment\s?£13\.00/);
  assert.match(shown, /Ends\s?After 12 payments/);
  assert.match(shown, /You can cancel the standing order in online banking at any time/);
  await customer.press("approve");
  const { url } = await customer.comeBack();
  await customer.leave();
  const tokens = await client.exchangeCode(url);
  const id = await submit(lodged, tokens.access_token);
  const first = today().add({ days: 5 });
  await bank.advance("P400D");

  const { PaymentStatus } = await read<Details>(`${id}/payment-details`);
  assert.deepEqual(
    PaymentStatus.map(({ Status }) => Status),
    Array.from({ length: 12 }, () => "ACCC"),
  );
  assert.equal((await read<{ Status: string }>(id)).Status, "INCO");
  const ids = PaymentStatus.map(({ PaymentTransactionId }) => PaymentTransactionId);
  const amounts = ["11.00", ...Array.from({ length: 10 }, () => "12.00"), "13.00"];
  const sides = [
    { login: "chloe", accountId: payer.accountId, indicator: "Debit", code: "SO" },
    { login: "amara", accountId: payee.accountId, indicator: "Credit", code: "FPI" },
  ];
  for (const { login, accountId, indicator, code } of sides) {
    const lines = await linesOf(login, accountId, ids);
    assert.deepEqual(
      lines.map((one) => [one.TransactionReference, one.Amount.Amount, one.CreditDebitIndicator]),
      ids.map((paymentId, index) => [paymentId, amounts[index], indicator]),
    );
    for (const [index, line] of lines.entries()) {
      assert.equal(line.ProprietaryBankTransactionCode.Code, code);
      const booked = Temporal.Instant.from(line.BookingDateTime)
        .toZonedDateTimeISO("Europe/London")
        .toPlainDate();
      const late = first.add({ months: index }).until(booked).days;
      assert.ok(late >= 0 && late <= 4, `payment ${index + 1} on ${booked}`);
    }
  }
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});

test("E-051, E-053: account information v4.0 shows what a TPP said about its standing order", async () => {
  const payer = await quiet("chloe", "Chloe's account");
  const payee = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "00990000000001",
    Name: "Acme Supplies Ltd",
  };
  const mandate = {
    MandateIdentification: "ACME-7",
    Classification: "FIXE",
    CategoryPurposeCode: "SUPP",
    FirstPaymentDateTime: `${today().add({ days: 5 })}T00:00:00+00:00`,
    Frequency: { Type: "MNTH" },
    Reason: "To pay for supplies",
  };
  const remittance = {
    Structured: [
      {
        ReferredDocumentInformation: [
          {
            Code: "CINV",
            Issuer: "Acme",
            Number: "118",
            RelatedDate: "2026-01-31T00:00:00Z",
            LineDetails: ["2 chairs"],
          },
        ],
        ReferredDocumentAmount: "120.50",
        CreditorReferenceInformation: { Code: "SCOR", Issuer: "Acme", Reference: "RENT 7" },
        Invoicer: "Acme",
        Invoicee: "Chloe",
        TaxRemittance: "VAT 20%",
        AdditionalRemittanceInformation: ["In parts"],
      },
    ],
    Unstructured: ["Chairs"],
  };
  const lodged = await lodge(payee, {
    MandateRelatedInformation: mandate,
    RemittanceInformation: remittance,
  });
  const chosen = { customer: "chloe", accounts: [payer.accountId] };
  const { consentId } = lodged;
  const { access_token } = await bank.approve(client, { scope: "payments", consentId, ...chosen });
  const id = await submit(lodged, access_token);

  const access = await lodgeAccess(client, {
    Permissions: ["ReadAccountsDetail", "ReadStandingOrdersDetail"],
  });
  const given = { consentId: access, ...chosen };
  const { access_token: token } = await bank.approve(client, { scope: "accounts", ...given });
  const path = `/v4.0/aisp/accounts/${payer.accountId}/standing-orders`;
  const shown = await client.call<{ Data: { StandingOrder: Shown[] } }>({ path, token });
  expectStatus(shown, 200);
  const order = shown.body.Data.StandingOrder.find((one) => one.StandingOrderId === id);
  const { Frequency: _, FirstPaymentDateTime: __, ...said } = mandate;
  const { Frequency, FirstPaymentDateTime, ...shownOf } = order?.MandateRelatedInformation ?? {};
  assert.ok(Frequency && FirstPaymentDateTime);
  assert.deepEqual(shownOf, said);
  assert.deepEqual(order?.RemittanceInformation, remittance);
});

test("the customer sees a standing order in the bank's pages and cancels it there", async () => {
  const payer = await quiet("chloe", "Chloe's account");
  const lodged = await lodge(acme);
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "chloe",
    accounts: [payer.accountId],
  });
  const id = await submit(lodged, token);
  await bank.advance("P12D");
  assert.deepEqual(await statusesOf(id), ["ACCC", "PDNG"]);
  const chloe = await enterBank("chloe");
  const overview = await chloe.text();
  assert.match(overview, /Acme Supplies Ltd.*Standing order on the \d+\w\w of every month/);
  assert.match(overview, /£12\.00/);
  await chloe.follow(`a[href="/bank/upcoming/${id}"]`);
  const rows = new RegExp(
    "PayeeAcme Supplies Ltd Standing order£12\\.00 on the .* First payment£11\\.00 on .* " +
      "After that£12\\.00 on the .* Last payment£13\\.00 on .* EndsAfter 12 payments " +
      "Next£12\\.00 on .* ReferenceRent",
  );
  assert.match(await chloe.text(), /Cancel a standing order.*no further payments/);
  assert.match(await chloe.text(), rows);
  await chloe.press("stop");
  assert.match(await chloe.text(), rows);
  await chloe.factor();
  assert.match(
    await chloe.text(),
    /The standing order of £12\.00 on the .* to Acme .* has been cancelled/,
  );
  await chloe.page.reload();
  assert.doesNotMatch(await chloe.text(), /has been cancelled/);
  assert.equal(await chloe.page.locator(`a[href="/bank/upcoming/${id}"]`).count(), 0);
  await chloe.leave();

  const { Status, StatusReason } = await read<{
    Status: string;
    StatusReason: { StatusReasonCode: string }[];
  }>(id);
  assert.deepEqual([Status, StatusReason[0]?.StatusReasonCode], ["CANC", "CUST"]);
  await bank.advance("P70D");
  assert.deepEqual(await statusesOf(id), ["ACCC", "CANC"]);
  const made = await postingsOf(bank.database, await paymentsOf(bank.database, id));
  assert.equal(made.length, 1);
});

test("the second signatory is shown the standing order, and sets it up", async () => {
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const joint = present(
    dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2),
    "an account of two signatories",
  );
  const lodged = await lodge(acme);
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "dev",
    accounts: [joint.accountId],
  });
  const id = await submit(lodged, token);
  assert.equal((await read<{ Status: string }>(id)).Status, "PATC");
  const elin = await enterBank("elin");
  const waiting = await elin.page.getByRole("region", { name: "Waiting" }).textContent();
  assert.match(waiting ?? "", /First payment: £11\.00 on .*After that: £12\.00 on the /s);
  assert.match(waiting ?? "", /Last payment: £13\.00 on \w+day .*Ends: After 12 payments/s);
  await elin.follow(`a[href="/bank/approvals/${id}"]`);
  const shown = await elin.text();
  assert.match(
    shown,
    /Check this standing order.*We will not set it up until all have approved it/,
  );
  assert.match(shown, /Weekends and bank holidays ?Paid on the next working day/);
  assert.match(shown, /This sets up a standing order\. Its payments are then made automatically\./);
  assert.match(shown, /After that\s?£12\.00 on the \d+\w\w of every month/);
  await elin.press("approve");
  await elin.factor();
  await elin.leave();
  await bank.advance("P10D");
  assert.equal((await read<{ Status: string }>(id)).Status, "INCO");
  assert.deepEqual(await statusesOf(id), ["ACCC", "PDNG"]);
});

test("no page names the first day of a standing order that was ordered after the time of its payment", async () => {
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const joint = present(
    dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2),
    "an account of two signatories",
  );
  let day = today().add({ days: 1 });
  while (!isWorkingDay(day)) day = day.add({ days: 1 });
  const now = day.toZonedDateTime({ timeZone: "Europe/London", plainTime: "08:00" }).toInstant();
  await bank.control("PUT", "/clock", { now });
  // by the offset of the request, that day is still to come; the bank pays at 06:00 in London
  const lodged = await lodge(acme, {
    MandateRelatedInformation: {
      FirstPaymentDateTime: `${day}T00:00:00-11:00`,
      Frequency: { Type: "MNTH" },
    },
  });
  const { access_token: token } = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "dev",
    accounts: [joint.accountId],
  });
  const id = await submit(lodged, token);
  await bank.advance("P2D");
  const elin = await enterBank("elin");
  const waiting = await elin.page.getByRole("region", { name: "Waiting" }).textContent();
  assert.match(waiting ?? "", /First payment: £11\.00 once all have approved/);
  await elin.follow(`a[href="/bank/approvals/${id}"]`);
  assert.match(await elin.text(), /First payment ?£11\.00 once all have approved/);
  await elin.press("approve");
  assert.match(await elin.text(), /First payment ?£11\.00 once all have approved/);
  await elin.factor();
  await elin.leave();
  await bank.advance("PT1H");
  assert.deepEqual(await statusesOf(id), ["ACCC", "PDNG"]);
});

test("a standing order of two payments is shown with the amounts that are paid, and no other", async () => {
  const { consentId } = await lodge(acme, { NumberOfPayments: "2" });
  const chloe = await customers.arrive({ javaScriptEnabled: false });
  await chloe.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await chloe.login("chloe");
  const text = await chloe.text();
  assert.match(text, /Standing order ?£11\.00 and then £13\.00/);
  assert.match(text, /Last payment ?£13\.00 on \w+day /);
  assert.doesNotMatch(text, /£12\.00/);
  await chloe.leave();
});

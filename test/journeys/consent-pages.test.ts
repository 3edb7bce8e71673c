import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { sampleInitiation, sampleJson, sampleXml } from "#test/payments/files/samples.ts";
import { type Customer, type Customers, openCustomers } from "./customer.ts";
import type { Resource } from "./payments.ts";

// What a customer sees of each kind before approving. Source: customer experience digest 3.2.

let bank: TestBank;
let customers: Customers;
let client: TppClient;
before(async () => {
  [bank, customers] = await Promise.all([openBank(), openCustomers()]);
  client = await bank.createTpp({ redirectUris: [customers.redirectUri] });
  await bank.control("PUT", "/clock", { now: monday.toInstant().toString() });
});
after(async () => {
  await customers?.close();
  await bank?.close();
});

// in summer, when London is not at UTC; the market is open for the week
const nextJune = Temporal.Now.plainDateISO("Europe/London")
  .add({ years: 1 })
  .with({ month: 6, day: 1 });
const firstMonday = nextJune.add({ days: (8 - nextJune.dayOfWeek) % 7 });
const monday = firstMonday.toZonedDateTime({ timeZone: "Europe/London", plainTime: "10:00" });
const tuesday = firstMonday.add({ days: 8 });
const dayText = (date: Temporal.PlainDate): string =>
  date.toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric" });

const shots = process.env.ALDGATE_SCREENSHOTS;

/** Keeps a picture of the page, wide and narrow, where the environment asks for it. */
async function picture({ page }: Customer, name: string): Promise<void> {
  if (shots === undefined) return;
  mkdirSync(shots, { recursive: true });
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true });
  }
}

const payee = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "00990000000001",
  Name: "Hawthorne & Sons Joinery Ltd",
};
const domestic = {
  InstructionIdentification: "I-1",
  EndToEndIdentification: "E-1",
  InstructedAmount: { Amount: "1249.50", Currency: "GBP" },
  CreditorAccount: payee,
  RemittanceInformation: { Unstructured: ["Invoice 20418"] },
};
const abroad = {
  CurrencyOfTransfer: "USD",
  CreditorAccount: {
    SchemeName: "UK.OBIE.BBAN",
    Identification: "000099000001",
    Name: "Bright Harbor Inc",
  },
  CreditorAgent: {
    SchemeName: "UK.OBIE.BICFI",
    Identification: "NONEUS33",
    Name: "Harbor National Bank",
  },
  ExtendedPurpose: "Consulting",
};
const international = {
  ...domestic,
  ...abroad,
  InstructedAmount: { Amount: "250.00", Currency: "USD" },
  ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" },
};

/** Lodges a consent, and gives its id. */
async function lodge(kind: string, initiation: object, data: object = {}): Promise<string> {
  const answer = await client.call<Resource>({
    path: `/v4.0/pisp/${kind}-consents`,
    token: await client.clientToken("payments"),
    body: {
      Data: { ...data, Initiation: initiation },
      ...(kind === "file-payment" ? {} : { Risk: { PaymentContextCode: "TransferToThirdParty" } }),
    },
  });
  expectStatus(answer, 201);
  return String(answer.body.Data.ConsentId);
}

/** Text of the review that a customer comes to, who pays from an account of that kind. */
async function review(consentId: string, login: string, several = false): Promise<string> {
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  const all = (await bank.customers()).find((one) => one.login === login)?.accounts ?? [];
  const { accountId } = present(
    all.find(
      (one) =>
        one.accountSubType === "CurrentAccount" &&
        one.currency === "GBP" &&
        one.signatoriesRequired > 1 === several,
    ),
    "an account",
  );
  await customer.goToReview(login, accountId);
  const text = await customer.text();
  await picture(customer, shotName);
  await customer.leave();
  return text;
}

let shotName = "";

/** Uploads a file to a new consent, and gives its id. */
async function upload(fileType: string, text: string, initiation: object = {}): Promise<string> {
  const bytes = Buffer.from(text);
  const consentId = await lodge("file-payment", {
    FileType: fileType,
    FileHash: createHash("sha256").update(bytes).digest("base64"),
    ...initiation,
  });
  const answer = await client.call({
    path: `/v4.0/pisp/file-payment-consents/${consentId}/file`,
    token: await client.clientToken("payments"),
    body: bytes,
    headers: { "content-type": text.startsWith("<") ? "text/xml" : "application/json" },
  });
  expectStatus(answer, 200);
  return consentId;
}

const everyKind = ["£1,249.50", payee.Name, "00-99-00 00000001", "Invoice 20418"];
const rate = /1 GBP = \d\.\d+ USD/;
const usual = ["Bright Harbor Inc", "000099000001", "Harbor National Bank, NONEUS33"];
const usualAbroad = [...usual, "United States", "Consulting", "By SWIFT"];
const create = { Permission: "Create" };
const schedule = {
  MandateRelatedInformation: {
    FirstPaymentDateTime: `${tuesday}T00:00:00+01:00`,
    Frequency: { Type: "WEEK", CountPerPeriod: 1 },
  },
  NumberOfPayments: "12",
};
const ownAmounts = {
  FirstPaymentAmount: { Amount: "11.00", Currency: "GBP" },
  RecurringPaymentAmount: { Amount: "12.00", Currency: "GBP" },
  FinalPaymentAmount: { Amount: "13.00", Currency: "GBP" },
};

/** Approves a file's consent from an account, and orders it. */
async function orderFile(consentId: string, customer: string, account: string): Promise<string> {
  const token = await client.clientToken("payments");
  const path = `/v4.0/pisp/file-payment-consents/${consentId}`;
  const { Initiation } = (await client.call<Resource>({ path, token })).body.Data;
  const approval = { scope: "payments" as const, consentId, customer, accounts: [account] };
  const { access_token: granted } = await bank.approve(client, approval);
  const answer = await client.call<Resource>({
    path: "/v4.0/pisp/file-payments",
    token: granted,
    body: { Data: { ConsentId: consentId, Initiation } },
  });
  expectStatus(answer, 201);
  return String(answer.body.Data.FilePaymentId);
}

async function statusOf(orderId: string): Promise<unknown> {
  const token = await client.clientToken("payments");
  const path = `/v4.0/pisp/file-payments/${orderId}`;
  return (await client.call<Resource>({ path, token })).body.Data.Status;
}

/** Opens a page of the bank's own, logged in. */
async function visitBank(login: string, path: string): Promise<Customer> {
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(`${bank.publicUrl}/bank`);
  await customer.login(login);
  await customer.factor();
  await picture(customer, `own-${login}`);
  await customer.page.click(`a[href="${path}"]`);
  return customer;
}

const payroll = (n: number, more: object = {}): string =>
  sampleJson({
    DomesticPayments: Array.from({ length: n }, (_, at) =>
      sampleInitiation({ amount: "1.25" }, at),
    ),
    ...more,
  });

type Page = {
  kind: string;
  lodge: () => Promise<string>;
  shows: readonly (string | RegExp)[];
  login?: string;
  several?: boolean;
};

const later = dayText(tuesday);

const pages: Record<string, Page> = {
  "a domestic payment: amount, payee, reference, today": {
    kind: "domestic-payment",
    lodge: () => lodge("domestic-payment", domestic),
    shows: [...everyKind, "Today, at once"],
  },
  "a payment by CHAPS with a refund account: charge, and what is shared": {
    kind: "domestic-payment-chaps",
    lodge: () =>
      lodge(
        "domestic-payment",
        { ...domestic, LocalInstrument: "UK.OBIE.CHAPS" },
        { ReadRefundAccount: "Yes" },
      ),
    shows: [...everyKind, "£20.00", /shared with the company that you are paying through/],
  },
  "a payment that several must approve: that they must": {
    kind: "domestic-payment-several",
    lodge: () => lodge("domestic-payment", domestic),
    login: "dev",
    several: true,
    shows: [...everyKind, /2 people must approve/, /until one other person has done so/],
  },
  "a scheduled payment: its day": {
    kind: "domestic-scheduled-payment",
    lodge: () =>
      lodge(
        "domestic-scheduled-payment",
        { ...domestic, RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00` },
        create,
      ),
    shows: [...everyKind, later, /You can cancel here until then/],
  },
  "a standing order: amounts, dates, rhythm in words and end": {
    kind: "domestic-standing-order",
    lodge: () =>
      lodge(
        "domestic-standing-order",
        { ...schedule, ...ownAmounts, CreditorAccount: payee },
        create,
      ),
    shows: ["£11.00", later, "£12.00", "every Tuesday", "£13.00", "12 payments"],
  },
  "an international payment: rate, what is debited, charges, bank, country, purpose": {
    kind: "international-payment",
    lodge: () => lodge("international-payment", international),
    login: "iris",
    shows: [...usualAbroad, "US$250.00", rate, /fixed until/, /£10\.00: you pay ours/],
  },
  "an international scheduled payment: its day beside the rate": {
    kind: "international-scheduled-payment",
    lodge: () =>
      lodge(
        "international-scheduled-payment",
        {
          ...international,
          ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
          RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00`,
        },
        create,
      ),
    login: "iris",
    shows: [...usualAbroad, "US$250.00", rate, /may change until it is paid/, later],
  },
  "an international standing order: schedule, rate of now, charges": {
    kind: "international-standing-order",
    lodge: () =>
      lodge(
        "international-standing-order",
        { ...abroad, ...schedule, InstructedAmount: { Amount: "250.00", Currency: "USD" } },
        create,
      ),
    login: "iris",
    shows: [...usualAbroad, "US$250.00", rate, "Every Tuesday", later, "12 payments"],
  },
  "a file: reference, number, total, day, account": {
    kind: "file-payment",
    lodge: () =>
      upload("UK.OBIE.PaymentInitiation.4.0", payroll(1250), { FileReference: "Payroll June" }),
    shows: ["Total £1,562.50", "1,250 payments in one file", "Payroll June", "Today, at once"],
  },
  "a file in XML with a day: that day, and until when it can be cancelled": {
    kind: "file-payment-later",
    lodge: async () => {
      const [account] = await bank.currentAccounts("amara");
      const debtor = present(account, "an account").identification;
      const group = { date: tuesday.toString(), debtor, payments: [{}, {}] };
      return upload("UK.OBIE.pain.001.001.08", sampleXml({ groups: [group] }));
    },
    shows: ["£2.00", "M-1", later, /You can cancel here until then/],
  },
  "a file with days of its own: from the first to the last": {
    kind: "file-payment-days",
    lodge: () =>
      upload(
        "UK.OBIE.PaymentInitiation.4.0",
        sampleJson({
          DomesticPayments: [sampleInitiation({}, 1)],
          DomesticScheduledPayments: [
            {
              ...sampleInitiation({ localInstrument: "UK.OBIE.CHAPS" }, 2),
              RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00`,
            },
          ],
        }),
      ),
    shows: ["£2.00", `From today to ${later}`, "£20.00"],
  },
};

for (const [name, { kind, lodge: begin, shows, login = "amara", several }] of Object.entries(
  pages,
)) {
  test(`the review shows of ${name}`, async () => {
    shotName = kind;
    const text = await review(await begin(), login, several);
    for (const shown of shows) {
      if (typeof shown === "string") assert.ok(text.includes(shown), `${shown} in ${text}`);
      else assert.match(text, shown);
    }
  });
}

test("who signs second sees a file as a whole, not the first of its payments", async () => {
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired > 1);
  const consentId = await upload("UK.OBIE.PaymentInitiation.4.0", payroll(4), {
    FileReference: "Payroll June",
  });
  const orderId = await orderFile(consentId, "dev", present(account, "an account").accountId);
  const elin = await visitBank("elin", `/bank/approvals/${orderId}`);
  const text = await elin.text();
  await picture(elin, "file-payment-approval");
  for (const shown of ["£5.00", "4 payments in one file", "Payroll June", "1 of 2", "Dev Patel"]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  assert.match(text, /Approve this file of payments\?/);
  await elin.press("decline");
  await elin.leave();
  assert.equal(await statusOf(orderId), "INFA");
});

test("a file of a later day stands among what is coming, and is cancelled there", async () => {
  const [account] = await bank.currentAccounts("amara");
  const consentId = await upload("UK.OBIE.PaymentInitiation.4.0", payroll(4), {
    RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00`,
  });
  const orderId = await orderFile(consentId, "amara", present(account, "an account").accountId);
  assert.equal(await statusOf(orderId), "PDNG");
  const amara = await visitBank("amara", `/bank/upcoming/${orderId}`);
  const text = await amara.text();
  await picture(amara, "file-payment-upcoming");
  for (const shown of ["Cancel this file of payments?", "£5.00", "4 payments in one file", later]) {
    assert.ok(text.includes(shown), `${shown} in ${text}`);
  }
  await amara.press("stop");
  assert.equal(await amara.page.locator(`a[href="/bank/upcoming/${orderId}"]`).count(), 0);
  await amara.leave();
  assert.equal(await statusOf(orderId), "INFA");
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeStatements } from "#src/sandbox/bank/statements.ts";
import { transactionCodes } from "#src/sandbox/bank/transaction-codes.ts";
import { sql } from "#src/storage/sql.ts";
import { addStatements } from "#test/account-store/stored-facts.ts";
import { addPostings } from "#test/sandbox/stored-ledger.ts";
import { AccountsBank } from "./fixture.ts";
import { readPdf } from "./pdf-text.ts";
import { tokenFor } from "./seeded-bank.ts";
import { storeFacts, transactionFact } from "./stored-transactions.ts";

const february = Temporal.Instant.from("2020-02-02T00:00:00Z");

let bank: AccountsBank;

before(async () => {
  bank = await AccountsBank.open();
});
after(() => bank.close());

type Terms = {
  costs?: object[];
  period?: string;
  minimum?: bigint;
  dueAt?: string;
  rates?: object[];
};

/** Stores a card's statement as another bank would. Every absent term is null. */
async function addStatement({ costs = [], period, minimum, dueAt, rates }: Terms) {
  const customerId = await bank.addCustomer();
  const maskedPan = "**** **** **** 0042";
  const card = { subType: "CreditCard", balance: -100n, limit: 100_000n, maskedPan };
  const accountId = await bank.addAccount(customerId, card);
  await bank.addTransactions(accountId, [{ at: "2026-09-10T10:00:00Z" }]);
  await addStatements(bank.database, [
    {
      accountId,
      statementId: `st-${accountId}`,
      number: 7,
      startsAt: Temporal.Instant.from("2026-09-01T00:00:00Z"),
      endsAt: Temporal.Instant.from("2026-10-01T00:00:00Z"),
      createdAt: Temporal.Instant.from("2026-10-02T09:00:00Z"),
      debits: [100n],
      limitMinor: 100_000n,
      costs,
      periodName: period,
      minimumPaymentMinor: minimum,
      paymentDueAt: dueAt,
      rates,
    },
  ]);
  const token = await tokenFor(bank, { accountId, customerId }, ["ReadStatementsDetail"]);
  const path = `/accounts/${accountId}/statements`;
  return {
    list: () => bank.get(path, token),
    file: (accept: string) => bank.get(`${path}/st-${accountId}/file`, token, { accept }),
  };
}

const oneTerm = /%|Minimum payment|Payment due|Period/i;

const textsOf = (pdf: Buffer): string[] =>
  readPdf(pdf).flatMap((page) => page.map(({ text }) => text));

test("a statement is shown with the terms that the bank has stored", async () => {
  const cost = { type: "CHG", indicator: "Debit", text: "Card abroad", amount: "30" };
  const { list, file } = await addStatement({
    costs: [
      { ...cost, code: "GB.Quill.Abroad", frequency: "UK.OBIE.PerTransactionAmount" },
      { ...cost, code: "GB.Quill.Courier", frequency: null },
      { ...cost, code: "GB.Quill.Courier", frequency: null, amount: "5" },
      {
        ...cost,
        type: "INT",
        text: null,
        amount: "12",
        code: "GB.Quill.Daily",
        frequency: "UK.OBIE.Daily",
      },
    ],
    period: "September 2026",
    minimum: 41n,
    dueAt: "2026-10-09T12:00:00Z",
    rates: [{ type: "GB.Quill.Standard", rate: "19.95" }],
  });
  const { status, text, body } = await list();
  assert.equal(status, 200, text);
  const [one] = body.Data.Statement;
  assert.deepEqual(one.StatementDescription, ["CreditCard: statement 7, September 2026"]);
  const pounds = (Amount: string) => ({ Amount, Currency: "GBP" });
  const debit = (Amount: string) => ({ CreditDebitIndicator: "Debit", Amount: pounds(Amount) });
  assert.deepEqual(one.StatementFee, [
    {
      Description: "Card abroad",
      ...debit("0.30"),
      Type: "GB.Quill.Abroad",
      Frequency: "UK.OBIE.PerTransactionAmount",
    },
    { Description: "Card abroad", ...debit("0.35"), Type: "GB.Quill.Courier" },
    { Description: "Total of fees", ...debit("0.65"), Type: "UK.OBIE.Total" },
  ]);
  assert.deepEqual(one.StatementInterest, [
    { ...debit("0.12"), Type: "GB.Quill.Daily", Frequency: "UK.OBIE.Daily" },
  ]);
  assert.deepEqual(one.StatementDateTime, [
    { DateTime: "2026-10-02T09:00:00Z", Type: "UK.OBIE.StatementAvailable" },
    { DateTime: "2026-10-09T12:00:00Z", Type: "UK.OBIE.PaymentDue" },
  ]);
  assert.deepEqual(one.StatementRate, [{ Rate: "19.95", Type: "GB.Quill.Standard" }]);
  const due = one.StatementAmount.filter(
    ({ Type }: { Type: string }) => Type === "UK.OBIE.MinimumPaymentDue",
  );
  assert.deepEqual(due, [{ ...debit("0.41"), Type: "UK.OBIE.MinimumPaymentDue" }]);
  assert.doesNotMatch(text, /Aldgate/);

  const printed = textsOf((await file("application/pdf")).raw);
  for (const term of ["September 2026", "Your account from September 2026", "£0.41"]) {
    assert.ok(printed.includes(term), `${term} in ${printed.join("|")}`);
  }
  assert.ok(printed.includes("9 October 2026"), printed.join("|"));
});

test("E-063: the store refuses a statement's rate that neither version can show", async () => {
  const withRates = (...rates: string[]) =>
    addStatement({ rates: rates.map((rate) => ({ type: "UK.OBIE.AnnualPurchase", rate })) });
  for (const rate of [`1.${"0".repeat(40)}`, "1234", "1.23456", "4.10 %", ""]) {
    await assert.rejects(withRates("1.5", rate), /account_statement_rates_check/, rate);
  }
  await withRates("0", "-999.9999", "24.9");
});

test("a term that a bank has not stored is not shown", async () => {
  const uncoded = { type: "CHG", indicator: "Debit", text: "MONTHLY FEE", amount: "30" };
  const interest = { ...uncoded, type: "IND", text: "INTEREST" };
  const { list, file } = await addStatement({ costs: [uncoded, interest] });
  const { status, text, body } = await list();
  assert.equal(status, 200, text);
  const [one] = body.Data.Statement;
  assert.deepEqual(one.StatementDescription, ["CreditCard: statement 7"]);
  const types = (items: { Type: string }[]) => items.map(({ Type }) => Type);
  assert.deepEqual(types(one.StatementFee), ["UK.OBIE.Total"]);
  assert.deepEqual(one.StatementInterest, []);
  assert.deepEqual(types(one.StatementDateTime), ["UK.OBIE.StatementAvailable"]);
  assert.equal(one.StatementRate, undefined);
  assert.ok(!types(one.StatementAmount).includes("UK.OBIE.MinimumPaymentDue"));
  assert.doesNotMatch(text, /Aldgate/);

  const printed = textsOf((await file("application/pdf")).raw);
  assert.ok(printed.includes("Your account"), printed.join("|"));
  assert.doesNotMatch(printed.join("|"), oneTerm);
  const csv = await file("text/csv");
  assert.equal(
    csv.text,
    [
      "Date,Type,Description,Paid out,Paid in,Balance,Currency",
      "2026-09-01,,Balance brought forward,,,0.00,GBP",
      "2026-09-10,,No. 0 – “£”,1.00,,-1.00,GBP",
      "2026-09-30,,Balance carried forward,,,-1.00,GBP",
      "",
    ].join("\r\n"),
  );
});

test("the sandbox stores the terms of a card's statement when it makes the statement", async () => {
  const customerId = await bank.addCustomer();
  const rows: [balance: bigint, minimum: bigint, dueAt: string | null][] = [
    [-300n, 300n, "2020-02-25T00:00:00Z"],
    [-20_000n, 500n, "2020-02-25T00:00:00Z"],
    [-20_001n, 501n, "2020-02-25T00:00:00Z"],
    [0n, 0n, null],
    [50n, 0n, null],
  ];
  for (const [balance, minimum, dueAt] of rows) {
    const accountId = await bank.addAccount(customerId, {
      subType: "CreditCard",
      balance,
      limit: 100_000n,
    });
    await bank.addTransactions(accountId, [{ at: "2020-01-10T10:00:00Z" }]);
    await makeStatements(bank.database, february, [accountId]);
    const stored = await bank.database.query(sql`
      select period_name as period, minimum_payment_minor as minimum,
        to_char(payment_due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "dueAt",
        rates::text
      from account_statement where account_id = ${accountId}`);
    const period = "1 to 31 January 2020";
    assert.deepEqual(stored, [{ period, minimum, dueAt, rates: "[]" }]);
  }
});

test("statements show a charge as monthly because of its purpose, whatever its text", async () => {
  const accountId = await bank.addAccount(await bank.addCustomer(), { balance: 200n });
  const bookedAt = Temporal.Instant.from("2020-01-10T10:00:00Z");
  const charges = [
    { id: "plan-fee", information: "PLAN FEE", purpose: "monthly-charge" },
    { id: "late-fee", information: "FEE FOR A MISSED MONTHLY PAYMENT", purpose: "history" },
  ];
  for (const { id, information, purpose } of charges) {
    const charge = { from: accountId, to: "internal-fees", amountMinor: 100n, bookedAt, purpose };
    await addPostings(bank.database, [{ postingId: id, ...charge }]);
    const booked = { ...transactionCodes("CHG"), bookedAt, information, bookingId: id };
    await storeFacts(bank.database, [transactionFact({ accountId, transactionId: id, ...booked })]);
  }
  await makeStatements(bank.database, february, [accountId]);
  const [stored] = await bank.database.query<{ costs: { text: string; code: string }[] }>(sql`
    select costs from account_statement where account_id = ${accountId}`);
  assert.deepEqual(
    stored?.costs.map(({ text, code }) => [text, code]),
    [
      ["FEE FOR A MISSED MONTHLY PAYMENT", "GB.Aldgate.Service"],
      ["PLAN FEE", "UK.OBIE.Monthly"],
    ],
  );
});

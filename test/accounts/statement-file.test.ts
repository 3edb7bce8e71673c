import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Bank, StatementReference } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { countPages } from "#src/sandbox/bank/statement-document/pdf.ts";
import { makeStatements } from "#src/sandbox/bank/statements.ts";
import { sql } from "#src/storage/sql.ts";
import { setInformation } from "#test/account-store/stored-facts.ts";
import { AccountsBank } from "./fixture.ts";
import { type PlacedText, readPdf } from "./pdf-text.ts";
import { accountOf, openSeeded, type SeededAccount, tokenFor } from "./seeded-bank.ts";

const february = Temporal.Instant.from("2020-02-02T00:00:00Z");

let bank: AccountsBank;
let everyday: SeededAccount;
let token: string;

before(async () => {
  bank = await openSeeded();
  everyday = await accountOf(bank, "amara", "Everyday");
  token = await tokenFor(bank, everyday, ["ReadStatementsDetail"]);
});
after(() => bank.close());

type Facts = { path: string; opening: bigint; closing: bigint; credits: bigint; debits: bigint };

/** Loads the newest statement of an account as it is stored. */
async function newestOf({ accountId }: SeededAccount): Promise<Facts & { lines: number }> {
  const [row] = await bank.database.query<Facts & { id: string; lines: number }>(sql`
    select statement_id as id, opening_minor as opening, closing_minor as closing,
      credits_minor as credits, debits_minor as debits, credit_count + debit_count as lines
    from account_statement where account_id = ${accountId} order by starts_at desc limit 1`);
  assert.ok(row);
  return { ...row, path: `/accounts/${accountId}/statements/${row.id}/file` };
}

const file = (path: string, accept?: string, by = token) =>
  bank.get(path, by, accept === undefined ? {} : { accept });

test("A-218: Accept selects PDF or CSV, and any other type is 406", async () => {
  const { path } = await newestOf(everyday);
  const table: [accept: string | undefined, status: number, type: string][] = [
    [undefined, 200, "application/pdf"],
    ["*/*", 200, "application/pdf"],
    ["application/*", 200, "application/pdf"],
    ["application/pdf", 200, "application/pdf"],
    ["text/csv", 200, "text/csv; charset=utf-8; header=present"],
    ["text/*", 200, "text/csv; charset=utf-8; header=present"],
    ["application/pdf;q=0.4, text/csv;q=0.9", 200, "text/csv; charset=utf-8; header=present"],
    ["text/csv, application/pdf", 200, "application/pdf"],
    ["application/pdf;q=0, */*", 200, "text/csv; charset=utf-8; header=present"],
    ["application/json", 406, "application/json; charset=utf-8"],
    ["text/html", 406, "application/json; charset=utf-8"],
    ["application/pdf;q=0", 406, "application/json; charset=utf-8"],
    ["application/jose+jwe", 406, "application/json; charset=utf-8"],
  ];
  for (const [accept, status, type] of table) {
    const answer = await file(path, accept);
    assert.equal(answer.status, status, `${accept}`);
    assert.equal(answer.headers["content-type"], type, `${accept}`);
    assert.ok(answer.headers["x-fapi-interaction-id"]);
    if (status === 200) {
      const isPdf = answer.raw.subarray(0, 5).toString() === "%PDF-";
      assert.equal(isPdf, type === "application/pdf");
      assert.equal(Number(answer.headers["content-length"]), answer.raw.length);
    } else assert.match(answer.text, /Send Accept: application\/pdf or text\/csv/);
  }
});

test("A-218: an error on the statement file is JSON, whatever Accept says", async () => {
  const { path } = await newestOf(everyday);
  const unknown = await file(path.replace(/st-[\da-f]+/, "st-0"), "application/pdf");
  assert.equal(unknown.status, 400);
  assert.equal(unknown.body.Errors[0].Path, "StatementId");
  const basic = await tokenFor(bank, everyday, ["ReadStatementsBasic"]);
  assert.equal((await file(path, "application/pdf", basic)).status, 403);
});

const pounds = (minor: bigint): string => {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${minor < 0n ? "-" : ""}${whole}.${digits.slice(-2)}`;
};

const textsOf = (page: PlacedText[] | undefined): string[] => (page ?? []).map(({ text }) => text);

/** Returns the amounts of a column: the texts that begin between two x positions. */
const inColumn = (page: PlacedText[], left: number, right: number): string[] =>
  page
    .filter(({ x, text }) => x > left && x < right && /^-?[\d,]+\.\d\d$/.test(text))
    .map(({ text }) => text);

const minorOf = (text: string): bigint => BigInt(text.replace(/[,.]/g, ""));

for (const [login, nickname] of [
  ["amara", "Everyday"],
  ["finn", "Main"],
  ["dev", "Company card"],
] as const) {
  test(`the PDF of ${login}'s ${nickname} is complete and shows the statement's figures`, async () => {
    const account = await accountOf(bank, login, nickname);
    const facts = await newestOf(account);
    const own = await tokenFor(bank, account, ["ReadStatementsDetail"]);
    const pages = readPdf((await file(facts.path, "application/pdf", own)).raw);
    assert.equal(pages.length, countPages(facts.lines));
    const [first] = pages;
    const head = textsOf(first);
    for (const text of ["Aldgate Bank", "Account statement", "Balance brought forward"]) {
      assert.ok(head.includes(text), text);
    }
    const sign = (minor: bigint) => (minor < 0n ? `-£${pounds(-minor)}` : `£${pounds(minor)}`);
    for (const sum of [facts.opening, facts.closing, facts.credits, facts.debits]) {
      assert.ok(head.includes(sign(sum)), sign(sum));
    }
    for (const [index, page] of pages.entries()) {
      assert.ok(textsOf(page).includes(`Page ${index + 1} of ${pages.length}`));
      for (const { x, y } of page) assert.ok(x >= 47 && x < 548 && y > 30 && y < 812, `${x} ${y}`);
    }
    assert.ok(textsOf(pages.at(-1)).includes("Balance carried forward"));
    // between the header and the footer of each page
    const table = pages.flatMap((page, index) =>
      page.filter(({ y }) => y < (index === 0 ? 465 : 725) && y > 85),
    );
    const sumOf = (texts: string[]) => texts.reduce((sum, text) => sum + minorOf(text), 0n);
    assert.equal(sumOf(inColumn(table, 350, 408)), facts.debits);
    assert.equal(sumOf(inColumn(table, 425, 476)), facts.credits);
    const balances = inColumn(table, 484, 548);
    assert.equal(minorOf(balances[0] ?? ""), facts.opening);
    assert.equal(minorOf(balances.at(-1) ?? ""), facts.closing);
    assert.equal(balances.length, facts.lines + 2 + pages.length - 1);
  });
}

test("the PDF is addressed to the account's owner and shows the account numbers", async () => {
  const { path } = await newestOf(everyday);
  const [first] = readPdf((await file(path)).raw);
  const head = textsOf(first);
  for (const text of ["Amara Okafor", "Flat 4, 16 Harbour Street", "London", "Everyday Account"]) {
    assert.ok(head.includes(text), text);
  }
  assert.ok(head.some((text) => /^00-10-01$/.test(text)));
  assert.ok(head.some((text) => /^GB\d\d ALDG/.test(text)));
  const card = await accountOf(bank, "dev", "Company card");
  const own = await tokenFor(bank, card, ["ReadStatementsDetail"]);
  const [company] = readPdf((await file((await newestOf(card)).path, undefined, own)).raw);
  const facts = textsOf(company);
  assert.ok(facts.includes("Patel Nystrom Joinery Ltd") && facts.includes("Unit 7, Foundry Yard"));
  assert.ok(facts.includes("**** **** **** 3377"));
});

test("reading a statement's file twice gives the same bytes", async () => {
  const { path } = await newestOf(everyday);
  for (const accept of ["application/pdf", "text/csv"]) {
    assert.deepEqual((await file(path, accept)).raw, (await file(path, accept)).raw);
  }
});

test("the CSV has every transaction, oldest first, with the running balance", async () => {
  const facts = await newestOf(everyday);
  const rows = (await file(facts.path, "text/csv")).text.split("\r\n");
  assert.equal(rows.pop(), "");
  const [names, ...cells] = rows.map((row) => row.split(","));
  assert.deepEqual(names?.slice(3), ["Paid out", "Paid in", "Balance", "Currency"]);
  assert.equal(cells.length, facts.lines + 2);
  const days = cells.map(([day]) => day);
  assert.deepEqual(days, [...days].sort());
  let balance = facts.opening;
  for (const [, , , paidOut = "", paidIn = "", after = ""] of cells) {
    balance += minorOf(paidIn || "0.00") - minorOf(paidOut || "0.00");
    assert.equal(minorOf(after), balance);
  }
  assert.equal(balance, facts.closing);
});

test("the CSV quotes text where needed and neutralises spreadsheet formulas", async () => {
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId, { balance: -100n, limit: 200n });
  const [id] = await bank.addTransactions(accountId, [{ at: "2020-01-10T10:00:00Z" }]);
  await setInformation(bank.database, present(id, "an entry"), '=SUM(1,"2")');
  await makeStatements(bank.database, february, [accountId]);
  const own = await tokenFor(bank, { accountId, customerId }, ["ReadStatementsDetail"]);
  const { path } = await newestOf({ accountId, customerId });
  const { text } = await file(path, "text/csv", own);
  assert.equal(text.split("\r\n")[2], '2020-01-10,,"\'=SUM(1,""2"")",1.00,,-1.00,GBP');
  // a customer without address and transactions without type: the PDF leaves these out
  const [page] = readPdf((await file(path, "application/pdf", own)).raw);
  assert.ok(textsOf(page).includes("Ann Example"));
});

test("the PDF's pages are counted before they are drawn", () => {
  const counts = [0, 21, 22, 23, 24, 60, 61, 62, 5636].map(countPages);
  assert.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  );
  assert.equal(counts[0], 1);
});

/** Opens a bank whose core has these documents, and reads the file of one statement. */
async function fileOver(core: Pick<Bank, "loadStatementDocument">) {
  const other = await AccountsBank.open({ bank: core });
  const customerId = await other.addCustomer();
  const accountId = await other.addAccount(customerId, { balance: 100n });
  await other.addTransactions(accountId, [{ at: "2020-01-10T10:00:00Z" }]);
  await makeStatements(other.database, february, [accountId]);
  const [row] = await other.database.query<{ id: string }>(
    sql`select statement_id as id from account_statement where account_id = ${accountId}`,
  );
  const reference = { accountId, statementId: row?.id, customerId };
  const own = await tokenFor(other, { accountId, customerId }, ["ReadStatementsDetail"]);
  const path = `/accounts/${accountId}/statements/${row?.id}/file`;
  const read = (accept: string) => other.get(path, own, { accept });
  return { reference, read, close: () => other.close() };
}

test("A-218: the PDF is the document that the core gives for this statement and customer", async () => {
  const asked: StatementReference[] = [];
  const given = Buffer.from("%PDF-1.7 a bank's own document");
  const bank = await fileOver({
    async loadStatementDocument(reference) {
      asked.push(reference);
      return given;
    },
  });
  try {
    const answer = await bank.read("application/pdf");
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers["content-type"], "application/pdf");
    assert.deepEqual(answer.raw, given);
    assert.deepEqual(asked, [bank.reference]);
    assert.equal((await bank.read("text/csv")).text.split("\r\n").length, 5);
    assert.equal(asked.length, 1, "a table needs no document");
  } finally {
    await bank.close();
  }
});

const without: [title: string, core: Pick<Bank, "loadStatementDocument">][] = [
  ["whose core gives no documents", {}],
  ["whose core has no document of this one", { loadStatementDocument: async () => null }],
];
for (const [title, core] of without) {
  test(`A-218: of a bank ${title}, a statement is a table, and a PDF is 406`, async () => {
    const bank = await fileOver(core);
    try {
      const pdf = await bank.read("application/pdf");
      assert.equal(pdf.status, 406);
      assert.match(pdf.text, /Send Accept: text\/csv, or leave it out/);
      const any = await bank.read("*/*");
      assert.equal(any.status, 200, any.text);
      assert.equal(any.headers["content-type"], "text/csv; charset=utf-8; header=present");
    } finally {
      await bank.close();
    }
  });
}

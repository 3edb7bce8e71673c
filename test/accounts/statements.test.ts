import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeStatements } from "#src/sandbox/bank/statements.ts";
import { bookPending } from "#test/account-store/change-accounts.ts";
import type { AccountsBank } from "./fixture.ts";
import { accountOf, openSeeded, type SeededAccount, tokenFor } from "./seeded-bank.ts";

let bank: AccountsBank;
let everyday: SeededAccount;

before(async () => {
  bank = await openSeeded();
  everyday = await accountOf(bank, "amara", "Everyday");
});
after(() => bank.close());

type Amount = { Amount: string; Currency: string };
type Typed = { Type: string; CreditDebitIndicator: "Credit" | "Debit"; Amount: Amount };
type Statement = {
  AccountId: string;
  StatementId: string;
  StartDateTime: string;
  EndDateTime: string;
  StatementAmount?: Typed[];
  StatementFee: Typed[];
  StatementInterest: Typed[];
};

const pathOf = ({ accountId }: SeededAccount, below = ""): string =>
  `/accounts/${accountId}/statements${below}`;

async function list(account: SeededAccount, token: string, query = ""): Promise<Statement[]> {
  const { status, text, body } = await bank.get(`${pathOf(account)}${query}`, token);
  assert.equal(status, 200, text);
  return body.Data.Statement;
}

/** The amount in pence; negative for a debit. */
const pence = ({ Amount: { Amount: text }, CreditDebitIndicator }: Omit<Typed, "Type">): bigint =>
  BigInt(text.replace(".", "")) * (CreditDebitIndicator === "Debit" ? -1n : 1n);

const sumOf = (items: Omit<Typed, "Type">[]): bigint =>
  items.reduce((sum, item) => sum + pence(item), 0n);

function amountOf({ StatementAmount = [] }: Statement, type: string): bigint {
  const found = StatementAmount.filter(({ Type }) => Type === `UK.OBIE.${type}`);
  assert.equal(found.length, 1, type);
  return sumOf(found);
}

/** Reads every transaction of a statement, page by page. */
async function transactionsOf(path: string, token: string): Promise<Typed[]> {
  const items: Typed[] = [];
  for (let next: string | undefined = path; next; ) {
    const { status, text, body } = await bank.get(next, token);
    assert.equal(status, 200, text);
    items.push(...body.Data.Transaction);
    next = body.Links.Next;
  }
  return items;
}

const readAll = [
  "ReadTransactionsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
] as const;

describe("statements of one account", () => {
  test("A-213: Basic hides the amounts and the file, Detail shows both", async () => {
    const basic = await tokenFor(bank, everyday, ["ReadStatementsBasic"]);
    const detail = await tokenFor(bank, everyday, ["ReadStatementsDetail"]);
    const both = await tokenFor(bank, everyday, ["ReadStatementsBasic", "ReadStatementsDetail"]);
    const shown = await list(everyday, basic);
    assert.ok(shown.length > 10);
    const [first] = shown;
    assert.ok(first);
    const members = Object.keys(first).sort();
    assert.ok(shown.every((one) => !("StatementAmount" in one)));
    for (const token of [detail, both]) {
      const whole = await list(everyday, token);
      assert.deepEqual(
        whole.map(({ StatementAmount, ...rest }) => rest),
        shown,
      );
      assert.ok(whole.every((one) => (one.StatementAmount ?? []).length >= 5));
      assert.deepEqual(Object.keys(whole[0] ?? {}).sort(), [...members, "StatementAmount"].sort());
    }
    const file = pathOf(everyday, `/${first.StatementId}/file`);
    assert.equal((await bank.get(file, basic)).status, 403);
    assert.equal((await bank.get(file, detail)).status, 200);
    const none = await tokenFor(bank, everyday, ["ReadOffers"]);
    assert.equal((await bank.get(pathOf(everyday), none)).status, 403);
  });

  test("each statement starts when the previous one ends, with its closing balance", async () => {
    const token = await tokenFor(bank, everyday, ["ReadStatementsDetail"]);
    const all = await list(everyday, token);
    for (const [index, one] of all.entries()) {
      const earlier = all[index + 1];
      assert.match(one.StartDateTime, /-01T00:00:00Z$/);
      assert.match(one.EndDateTime, /T23:59:59Z$/);
      if (!earlier) continue;
      const next = Temporal.Instant.from(earlier.EndDateTime).add({ seconds: 1 }).toString();
      assert.equal(one.StartDateTime, next);
      assert.equal(amountOf(one, "StartingBalance"), amountOf(earlier, "ClosingBalance"));
    }
    const [newest] = all;
    // a month's statement is made at six in the morning of the next month
    const made = bank.now.subtract({ hours: 6 }).toZonedDateTimeISO("UTC");
    const month = made.subtract({ months: 1 }).toPlainDate().with({ day: 1 }).toString();
    assert.equal(newest?.StartDateTime, `${month}T00:00:00Z`);
  });

  for (const [login, nickname] of [
    ["amara", "Everyday"],
    ["amara", "Credit card"],
    ["finn", "Main"],
    ["dev", "Main account (two sign)"],
    ["iris", "Euros"],
  ] as const) {
    test(`the totals of ${login}'s statements (${nickname}) match the transactions`, async () => {
      const account = await accountOf(bank, login, nickname);
      const token = await tokenFor(bank, account, ["ReadStatementsDetail", ...readAll]);
      const [newest, ...rest] = await list(account, token);
      for (const one of [newest, rest[3]]) {
        assert.ok(one);
        const path = pathOf(account, `/${one.StatementId}/transactions`);
        const lines = await transactionsOf(path, token);
        const credits = lines.filter((line) => line.CreditDebitIndicator === "Credit");
        const debits = lines.filter((line) => line.CreditDebitIndicator === "Debit");
        assert.equal(amountOf(one, "TotalCredits"), sumOf(credits));
        assert.equal(amountOf(one, "TotalDebits"), sumOf(debits));
        const change = amountOf(one, "ClosingBalance") - amountOf(one, "StartingBalance");
        assert.equal(change, sumOf(lines));
      }
    });
  }

  test("a statement lists each kind of fee and interest once, and fees with a total", async () => {
    const account = await accountOf(bank, "finn", "Main");
    const token = await tokenFor(bank, account, ["ReadStatementsDetail", ...readAll]);
    const [one] = await list(account, token);
    assert.ok(one);
    const fees = one.StatementFee.map(({ Type, ...fee }) => [Type, pence(fee)]);
    assert.deepEqual(fees, [
      ["GB.Aldgate.Service", -1_200n],
      ["UK.OBIE.Total", -1_200n],
    ]);
    assert.equal(one.StatementInterest.length, 1);
    assert.ok(sumOf(one.StatementInterest) < 0n);
    const charged = sumOf(one.StatementInterest) - 1_200n;
    assert.equal(amountOf(one, "TotalCharges"), charged);
    const main = await accountOf(bank, "dev", "Main account (two sign)");
    const [business] = await list(main, await tokenFor(bank, main, ["ReadStatementsBasic"]));
    assert.deepEqual(
      business?.StatementFee.map(({ Type }) => Type),
      ["UK.OBIE.Monthly", "UK.OBIE.Total"],
    );
  });

  test("a card statement shows the limit, the minimum payment and the due date", async () => {
    const card = await accountOf(bank, "finn", "Credit card");
    const token = await tokenFor(bank, card, ["ReadStatementsDetail"]);
    const { body } = await bank.get(pathOf(card), token);
    const one = body.Data.Statement[0];
    const owed = -amountOf(one, "ClosingBalance");
    assert.ok(owed > 0n);
    assert.equal(amountOf(one, "CreditLimit"), 150_000n);
    assert.equal(amountOf(one, "AvailableBalance"), 150_000n - owed);
    assert.equal(-amountOf(one, "MinimumPaymentDue"), (owed * 25n + 999n) / 1000n);
    assert.deepEqual(
      one.StatementRate.map(({ Type, Rate }: { Type: string; Rate: string }) => [Type, Rate]),
      [
        ["UK.OBIE.AnnualPurchase", "28.90"],
        ["UK.OBIE.MonthlyPurchase", "2.4083"],
      ],
    );
    const types = one.StatementDateTime.map(({ Type }: { Type: string }) => Type);
    assert.deepEqual(types, ["UK.OBIE.StatementAvailable", "UK.OBIE.PaymentDue"]);
  });

  test("A-125: an account without transactions has no statements", async () => {
    const customerId = await bank.addCustomer();
    const account = { customerId, accountId: await bank.addAccount(customerId) };
    const token = await tokenFor(bank, account, ["ReadStatementsBasic"]);
    assert.deepEqual(await list(account, token), []);
  });

  test("A-219: the statements of all accounts can be read together, page by page", async () => {
    const grace = await accountOf(bank, "grace", "Current");
    const others = await accountOf(bank, "grace", "Holiday");
    const { token } = await bank.addConsent({
      customerId: grace.customerId,
      accountIds: [grace.accountId, others.accountId],
      permissions: ["ReadAccountsBasic", "ReadStatementsDetail"],
    });
    const all: Statement[] = [];
    for (let next: string | undefined = "/statements"; next; ) {
      const { body } = await bank.get(next, token);
      all.push(...body.Data.Statement);
      next = body.Links.Next;
    }
    const alone = [...(await list(grace, token)), ...(await list(others, token))];
    const ids = (some: Statement[]) => some.map(({ StatementId }) => StatementId).sort();
    assert.deepEqual(ids(all), ids(alone));
    assert.equal(new Set(ids(all)).size, all.length);
  });
});

describe("filters of statements", () => {
  test("A-214: only statements that lie entirely within the consent's window are shown", async () => {
    const whole = await list(everyday, await tokenFor(bank, everyday, ["ReadStatementsBasic"]));
    const [, second, third, fourth] = whole;
    assert.ok(second && third && fourth);
    const windows: [from: string, to: string, wanted: Statement[]][] = [
      [fourth.StartDateTime, second.EndDateTime, [second, third, fourth]],
      [later(fourth.StartDateTime), second.EndDateTime, [second, third]],
      [fourth.StartDateTime, earlier(second.EndDateTime), [third, fourth]],
      [later(third.StartDateTime), earlier(third.EndDateTime), []],
    ];
    for (const [from, to, wanted] of windows) {
      const token = await tokenFor(bank, everyday, ["ReadStatementsDetail"], { from, to });
      assert.deepEqual(ids(await list(everyday, token)), ids(wanted), `${from} ${to}`);
      for (const one of whole) {
        const inside = wanted.some(({ StatementId }) => StatementId === one.StatementId);
        for (const below of ["", "/file"]) {
          const answer = await bank.get(pathOf(everyday, `/${one.StatementId}${below}`), token);
          assert.equal(answer.status, inside ? 200 : 400, below);
        }
      }
    }
  });

  test("A-217: statement filters accept every date format and return only statements entirely within them", async () => {
    const token = await tokenFor(bank, everyday, ["ReadStatementsBasic"]);
    const whole = await list(everyday, token);
    const [, second, third] = whole;
    assert.ok(second && third);
    const from = `fromStatementDateTime=${third.StartDateTime.slice(0, 10)}`;
    const to = `toStatementDateTime=${second.EndDateTime.slice(0, 19)}`;
    assert.deepEqual(ids(await list(everyday, token, `?${from}&${to}`)), ids([second, third]));
    // a date without a time means midnight, when the last day has not ended
    const day = `toStatementDateTime=${second.EndDateTime.slice(0, 10)}`;
    assert.deepEqual(ids(await list(everyday, token, `?${from}&${day}`)), ids([third]));
    // the time zone is ignored
    const other = encodeURIComponent(`${third.StartDateTime.slice(0, 19)}-05:00`);
    const zoned = `fromStatementDateTime=${other}`;
    assert.deepEqual(ids(await list(everyday, token, `?${zoned}&${to}`)), ids([second, third]));
    const forms =
      "2016-01-01T10:40:00 2020-04-23T15:47:00.999 20160101T104012.345Z " +
      "2016-01-01T10:40:12.34567Z 2016-01-01T10:40:12.34567%2B01 20160101T104012.567%2B01";
    for (const form of forms.split(" ")) {
      const answer = await bank.get(`${pathOf(everyday)}?fromStatementDateTime=${form}`, token, {
        "x-fapi-interaction-id": "played-back",
      });
      assert.deepEqual(
        [answer.status, answer.headers["x-fapi-interaction-id"]],
        [200, "played-back"],
      );
      assert.deepEqual(answer.body.Data.Statement, whole);
    }
    const wrong = await bank.get(`${pathOf(everyday)}?toStatementDateTime=foo`, token);
    assert.deepEqual(faultsOf(wrong), [["UK.OBIE.Field.InvalidDate", "toStatementDateTime"]]);
  });

  test("A-215: an unknown statement, or another account's, is 400 on every path", async () => {
    const card = await accountOf(bank, "amara", "Credit card");
    const token = await tokenFor(bank, everyday, ["ReadStatementsDetail", ...readAll]);
    const cardToken = await tokenFor(bank, card, ["ReadStatementsDetail"]);
    const [foreign] = await list(card, cardToken);
    assert.ok(foreign);
    for (const id of ["foobar", foreign.StatementId, "x".repeat(41), "%00", "..%2f"]) {
      const code = id === "%00" ? "UK.OBIE.Field.Invalid" : "UK.OBIE.Resource.NotFound";
      for (const below of ["", "/file", "/transactions"]) {
        const answer = await bank.get(pathOf(everyday, `/${id}${below}`), token);
        assert.equal(answer.status, 400, `${id}${below}`);
        assert.deepEqual(faultsOf(answer), [[code, "StatementId"]]);
      }
    }
    // the account is checked before the statement
    const path = pathOf({ ...everyday, accountId: card.accountId }, `/${foreign.StatementId}`);
    assert.equal((await bank.get(path, token)).status, 403);
    const unknown = pathOf({ ...everyday, accountId: "foobar" }, `/${foreign.StatementId}`);
    assert.deepEqual(faultsOf(await bank.get(unknown, token)), [
      ["UK.OBIE.Resource.NotFound", "AccountId"],
    ]);
  });

  test("A-026, A-142: a single statement is returned as a list with one item, and unknown paths below it are 404", async () => {
    const token = await tokenFor(bank, everyday, ["ReadStatementsDetail"]);
    const [, second] = await list(everyday, token);
    assert.ok(second);
    const path = pathOf(everyday, `/${second.StatementId}`);
    assert.deepEqual((await bank.get(path, token)).body.Data.Statement, [second]);
    assert.equal((await bank.get(`${path}/foobar`, token)).status, 404);
  });
});

describe("transactions of a statement", () => {
  test("A-216: the transactions of a statement need their own permissions, not the statement's", async () => {
    const detail = await tokenFor(bank, everyday, ["ReadStatementsDetail"]);
    const [one] = await list(everyday, detail);
    const path = pathOf(everyday, `/${one?.StatementId}/transactions`);
    assert.equal((await bank.get(path, detail)).status, 403);
    const credits = await tokenFor(bank, everyday, [
      "ReadTransactionsBasic",
      "ReadTransactionsCredits",
    ]);
    const lines = await transactionsOf(path, credits);
    assert.ok(lines.length > 0);
    assert.ok(lines.every((line) => line.CreditDebitIndicator === "Credit"));
    assert.ok(lines.every((line) => !("TransactionInformation" in line)));
    const all = await transactionsOf(path, await tokenFor(bank, everyday, [...readAll]));
    assert.ok(all.length > 25 && all.length > lines.length);
    assert.ok(all.every((line) => "TransactionInformation" in line));
  });

  test("A-174: the transactions of a statement are limited to the consent's window", async () => {
    const [one] = await list(everyday, await tokenFor(bank, everyday, ["ReadStatementsBasic"]));
    assert.ok(one);
    const from = one.StartDateTime.replace(/-01T/, "-15T");
    const path = pathOf(everyday, `/${one.StatementId}/transactions`);
    const part = await transactionsOf(path, await tokenFor(bank, everyday, [...readAll], { from }));
    const all = await transactionsOf(path, await tokenFor(bank, everyday, [...readAll]));
    type Line = Typed & { BookingDateTime: string };
    assert.deepEqual(
      part,
      all.filter((line) => (line as Line).BookingDateTime >= from),
    );
    assert.ok(part.length > 0 && part.length < all.length);
  });
});

describe("making statements at the end of a month", () => {
  test("each month's statement is made once, however many processes try", async () => {
    const customerId = await bank.addCustomer();
    const accountId = await bank.addAccount(customerId, { balance: 3_00n });
    await bank.addTransactions(accountId, [
      { at: "2020-01-31T23:59:59.999Z", indicator: "Credit" },
      { at: "2020-02-01T00:00:00Z" },
      { at: "2020-04-10T10:00:00Z", indicator: "Credit" },
    ]);
    const make = (at: string) =>
      makeStatements(bank.database, Temporal.Instant.from(at), [accountId]);
    // the bank closes a month at 06:00 on the first day of the next month
    assert.equal(await make("2020-02-01T05:59:59Z"), 0);
    const made = await Promise.all([1, 2, 3, 4].map(() => make("2020-02-01T06:00:00Z")));
    assert.deepEqual(made.sort(), [0, 0, 0, 1]);
    assert.equal(await make("2020-05-15T00:00:00Z"), 3);
    assert.equal(await make("2020-05-15T00:00:00Z"), 0);
    const token = await tokenFor(bank, { accountId, customerId }, ["ReadStatementsDetail"]);
    const all = await list({ accountId, customerId }, token);
    const course = all.map((one) => [
      one.StartDateTime.slice(0, 7),
      amountOf(one, "StartingBalance"),
      amountOf(one, "TotalCredits"),
      amountOf(one, "TotalDebits"),
      amountOf(one, "ClosingBalance"),
    ]);
    assert.deepEqual(course, [
      ["2020-04", 200n, 100n, 0n, 300n],
      ["2020-03", 200n, 0n, 0n, 200n],
      ["2020-02", 300n, 0n, -100n, 200n],
      ["2020-01", 200n, 100n, 0n, 300n],
    ]);
  });

  test("a month with a pending transaction is closed only when it is booked", async () => {
    const customerId = await bank.addCustomer();
    const accountId = await bank.addAccount(customerId);
    await bank.addTransactions(accountId, [
      { at: "2020-01-10T10:00:00Z" },
      { at: "2020-02-29T00:00:00Z", status: "Pending" },
    ]);
    const april = Temporal.Instant.from("2020-04-02T00:00:00Z");
    const make = () => makeStatements(bank.database, april, [accountId]);
    assert.equal(await make(), 1);
    await bookPending(bank.database, accountId);
    assert.equal(await make(), 2);
  });
});

const ids = (some: Statement[]): string[] => some.map(({ StatementId }) => StatementId);
const later = (time: string): string => Temporal.Instant.from(time).add({ seconds: 1 }).toString();
const earlier = (time: string): string =>
  Temporal.Instant.from(time).subtract({ seconds: 1 }).toString();

type Refusal = { body: { Errors: { ErrorCode: string; Path?: string }[] } };
const faultsOf = ({ body }: Refusal) => body.Errors.map(({ ErrorCode, Path }) => [ErrorCode, Path]);

// Reads all data of every persona to the last page, including the account with 100,000
// transactions.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accountEndpoints, supportedPermissions } from "#src/accounts/account-resources.ts";
import type { AccountEndpoint } from "#src/accounts/resource.ts";
import { createStatementDocuments } from "#src/sandbox/bank/statement-document/statement-document.ts";
import { households } from "#src/sandbox/personas/households.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { customerIdOf } from "#test/sandbox/stored-customers.ts";
import { AccountsBank, basePath } from "./fixture.ts";

type Amount = { Amount: string; Currency: string };
type Signed = { CreditDebitIndicator: "Credit" | "Debit"; Amount: Amount };
type Typed = Signed & { Type: string };
type Transaction = Signed & {
  AccountId: string;
  TransactionId: string;
  Status: string;
  BookingDateTime: string;
};
type Balance = Typed & { CreditLine?: { Included: boolean; Amount: Amount }[] };
type Statement = {
  StatementId: string;
  StartDateTime: string;
  EndDateTime: string;
  StatementAmount: Typed[];
};

const detailFields = [
  "TransactionInformation",
  "Balance",
  "MerchantDetails",
  "CreditorAgent",
  "CreditorAccount",
  "DebtorAgent",
  "DebtorAccount",
];

let bank: AccountsBank;
before(async () => {
  const database = await openEmpty();
  const now = Temporal.Now.instant();
  await seedPersonas(database, { now, newest: 100_000 });
  bank = await AccountsBank.over(database, { pageSize: 1000 });
  bank.now = now;
});
after(() => bank?.close());

/** The amount in minor units; negative for a debit. */
const minor = ({ Amount: { Amount: text }, CreditDebitIndicator }: Signed): bigint =>
  BigInt(text.replace(".", "")) * (CreditDebitIndicator === "Debit" ? -1n : 1n);

const sumOf = (items: Signed[]): bigint => items.reduce((sum, item) => sum + minor(item), 0n);

/** Reads every item of a list. Each page is checked against the published schema. */
async function readAll<Item>(path: string, arrayName: string, token: string): Promise<Item[]> {
  const items: Item[] = [];
  const links = new Set<string>();
  for (let next: string | undefined = path; next; ) {
    assert.ok(!links.has(next), "no page leads back to itself");
    links.add(next);
    const { status, text, body } = await bank.get(next, token);
    assert.equal(status, 200, `${next}: ${text}`);
    items.push(...[body.Data[arrayName] ?? []].flat());
    next = body.Links.Next;
  }
  return items;
}

const amountOf = ({ StatementAmount }: Statement, type: string): bigint => {
  const found = StatementAmount.filter(({ Type }) => Type === `UK.OBIE.${type}`);
  assert.equal(found.length, 1, type);
  return sumOf(found);
};

type Persona = { customerId: string; accountIds: string[] };

async function loadPersona(login: string): Promise<Persona> {
  const customerId = await customerIdOf(bank.database, login);
  const rows = await bank.database.query<{ accountId: string }>(sql`
    select account_id as "accountId" from account_holder
    where customer_id = ${customerId} order by account_id`);
  return { customerId, accountIds: rows.map(({ accountId }) => accountId) };
}

const transactionsOf = (path: string, token: string) =>
  readAll<Transaction>(path, "Transaction", token);

for (const { login } of households.flatMap(({ personas }) => personas)) {
  describe(`all data of ${login}`, () => {
    let persona: Persona;
    let token: string;
    const lists = new Map<string, Transaction[]>();
    before(async () => {
      persona = await loadPersona(login);
      const permissions = [...supportedPermissions()];
      ({ token } = await bank.addConsent({ ...persona, permissions }));
      for (const id of persona.accountIds) {
        lists.set(id, await transactionsOf(`/accounts/${id}/transactions`, token));
      }
    });
    const total = () => [...lists.values()].reduce((sum, { length }) => sum + length, 0);

    test("A-195, A-196: paging returns every transaction exactly once, in order", async () => {
      for (const [accountId, list] of lists) {
        const [row] = await bank.database.query<{ entries: number }>(sql`
          select count(*)::integer as entries from account_transaction
          where account_id = ${accountId}`);
        assert.equal(list.length, row?.entries);
        assert.equal(new Set(list.map((one) => one.TransactionId)).size, list.length);
        const instants = list.map((one) => one.BookingDateTime);
        assert.deepEqual(instants, [...instants].sort().reverse());
        assert.ok(list.every((one) => one.AccountId === accountId));
      }
    });

    test("A-155: booked transactions add up to the balance, and pending ones to the held amount", async () => {
      for (const [accountId, list] of lists) {
        const path = `/accounts/${accountId}`;
        const balances = await readAll<Balance>(`${path}/balances`, "Balance", token);
        const of = (type: string) => balances.filter(({ Type }) => Type === type);
        const oldest = (await statementsOf(accountId)).at(-1);
        const opening = oldest ? amountOf(oldest, "StartingBalance") : 0n;
        const booked = list.filter(({ Status }) => Status === "Booked");
        assert.ok(
          oldest || booked.length === 0,
          "an account with booked transactions has a statement",
        );
        assert.ok(!oldest || booked.every((one) => one.BookingDateTime >= oldest.StartDateTime));
        assert.equal(sumOf(of("InterimBooked")), opening + sumOf(booked));
        const pending = list.filter(({ Status }) => Status === "Pending");
        const [available] = of("InterimAvailable");
        assert.ok(available);
        const lent = (available.CreditLine ?? []).filter(({ Included }) => Included);
        const line = sumOf(lent.map((one) => ({ ...one, CreditDebitIndicator: "Credit" })));
        assert.equal(minor(available), sumOf(of("InterimBooked")) + sumOf(pending) + line);
      }
    });

    test("A-219: the bulk list equals the merged lists of all accounts", async () => {
      const merged = await transactionsOf("/transactions", token);
      assert.equal(merged.length, total());
      const order = merged.map((one) => `${one.BookingDateTime} ${one.TransactionId}`);
      assert.deepEqual(order, [...order].sort().reverse());
      const known = new Set([...lists.values()].flat().map((one) => one.TransactionId));
      assert.ok(merged.every((one) => known.has(one.TransactionId)));
    });

    test("A-170: on every page, the Basic view is the Detail view without the Detail fields", async () => {
      const permissions = [...supportedPermissions()].filter((code) => !code.endsWith("Detail"));
      const basic = await bank.addConsent({ ...persona, permissions });
      for (const [accountId, list] of lists) {
        const shown = await transactionsOf(`/accounts/${accountId}/transactions`, basic.token);
        assert.equal(shown.length, list.length);
        for (const [index, item] of shown.entries()) {
          const whole = Object.entries(list[index] ?? {});
          assert.deepEqual(item, Object.fromEntries(whole.filter(([name]) => name in item)));
          const hidden = whole.map(([name]) => name).filter((name) => !(name in item));
          assert.deepEqual(
            hidden.filter((name) => !detailFields.includes(name)),
            [],
          );
        }
        assert.ok(shown.every((item) => detailFields.every((name) => !(name in item))));
      }
    });

    test("A-172, A-173: credits and debits together are all transactions", async () => {
      for (const [accountId, list] of lists) {
        const path = `/accounts/${accountId}/transactions`;
        const parts = ["Credit", "Debit"].map(async (direction) => {
          const permissions = ["ReadTransactionsBasic", `ReadTransactions${direction}s`];
          const all = ["ReadAccountsBasic", ...permissions];
          const given = await bank.addConsent({ ...persona, permissions: all });
          const items = await transactionsOf(path, given.token);
          assert.ok(items.every((one) => one.CreditDebitIndicator === direction));
          return items.length;
        });
        const [credits = 0, debits = 0] = await Promise.all(parts);
        assert.equal(credits + debits, list.length);
      }
    });

    test("A-216: statements follow one another without gaps, and their transactions are those of the account", async () => {
      for (const [accountId, list] of lists) {
        const path = `/accounts/${accountId}/statements`;
        let later: Statement | undefined;
        for (const one of await statementsOf(accountId)) {
          const lines = await transactionsOf(`${path}/${one.StatementId}/transactions`, token);
          const within = list.filter(
            ({ Status, BookingDateTime }) =>
              Status === "Booked" &&
              BookingDateTime >= one.StartDateTime &&
              BookingDateTime <= one.EndDateTime,
          );
          assert.deepEqual(lines, within);
          const [start, close] = [
            amountOf(one, "StartingBalance"),
            amountOf(one, "ClosingBalance"),
          ];
          assert.equal(start + sumOf(lines), close);
          if (later) assert.equal(amountOf(later, "StartingBalance"), close);
          later = one;
        }
      }
    });

    test("A-204: every other resource of every account matches the published schema", async () => {
      const rows = accountEndpoints("aisp-v3.1");
      const { database } = bank;
      const source = { database, bank: createStatementDocuments(database, "Aldgate Bank") };
      for (const row of rows.filter(({ arrayName }) => arrayName !== "Transaction")) {
        for (const url of await addressesOf(row)) {
          if (!row.file) await readAll(url, row.arrayName, token);
          for (const accept of row.file?.contentTypes(source) ?? []) {
            const headers = { authorization: `Bearer ${token}`, accept };
            const sent = await bank.app.inject({ url: basePath + url, headers });
            assert.equal(sent.statusCode, 200, `${url} ${accept}`);
          }
        }
      }
    });

    const statementsOf = (accountId: string) =>
      readAll<Statement>(`/accounts/${accountId}/statements`, "Statement", token);

    /** Lists the paths of a resource: for each account, or for the newest statement of each. */
    async function addressesOf({ path, part }: AccountEndpoint): Promise<string[]> {
      if (!path.includes(":AccountId")) return [path];
      const urls = persona.accountIds.map(async (accountId) => {
        const url = path.replace(":AccountId", accountId);
        if (!part) return [url];
        const [newest] = await statementsOf(accountId);
        return newest ? [url.replace(":StatementId", newest.StatementId)] : [];
      });
      return (await Promise.all(urls)).flat();
    }
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { accountAccessKind } from "#src/accounts/account-access-kind.ts";
import { showClusters } from "#src/accounts/data-clusters.ts";
import type { Consent } from "#src/consents/consent.ts";
import { permissions } from "#src/standard/aisp-v3.1/account-access-consent.ts";

const instant = (text: string) => Temporal.Instant.from(text);
const now = instant("2026-11-21T10:00:00Z");

const consent: Consent = {
  consentId: "aac-1",
  kind: "account-access",
  clientId: "tpp-1",
  status: "AWAU",
  statusReason: [],
  createdAt: now,
  statusUpdatedAt: now,
  expiresAt: null,
  body: { Data: {} },
  terms: {},
  permissions: ["ReadAccountsBasic"],
  transactionsFrom: null,
  transactionsTo: null,
  customerId: null,
  accountIds: [],
  grantId: null,
  authorisedAt: null,
};

const textsOf = (codes: string[]): string[] =>
  showClusters(codes).flatMap(({ lines }) => lines.map(({ text }) => text));

test("every permission but a transaction's direction has its line", () => {
  for (const code of permissions) {
    const directions = ["ReadTransactionsCredits", "ReadTransactionsDebits"];
    const wanted = directions.includes(code) ? 0 : 1;
    const asked = code.startsWith("ReadTransactions") ? [code, ...directions] : [code];
    assert.equal(textsOf(wanted === 0 ? [code] : asked).length, wanted, code);
  }
});

test("transactions are worded by detail and direction", () => {
  const [credits, debits] = ["ReadTransactionsCredits", "ReadTransactionsDebits"];
  const table: [string[], string][] = [
    [["ReadTransactionsBasic", credits], "Your incoming transactions"],
    [["ReadTransactionsBasic", debits], "Your outgoing transactions"],
    [["ReadTransactionsBasic", credits, debits], "Your transactions"],
    [["ReadTransactionsDetail", credits], "Details of your incoming transactions"],
    [["ReadTransactionsDetail", debits], "Details of your outgoing transactions"],
    [["ReadTransactionsDetail", credits, debits], "Details of your transactions"],
  ];
  for (const [codes, text] of table) {
    assert.deepEqual(textsOf(codes), [text]);
    assert.deepEqual(textsOf([...codes, "ReadTransactionsBasic"]), [text]);
  }
});

test("Detail stands for Basic", () => {
  assert.deepEqual(textsOf(["ReadAccountsBasic", "ReadAccountsDetail"]), [
    "Your account name, number and sort-code",
  ]);
});

test("clusters come in their order, and none without lines", () => {
  const titles = showClusters(["ReadTransactionsBasic", "ReadTransactionsDebits", "ReadBalances"]);
  assert.deepEqual(
    titles.map(({ title }) => title),
    ["Your Account Details", "Your Account Transactions"],
  );
});

test("the end and the window are told in London's days", () => {
  const bare = accountAccessKind.summarise(consent, now);
  assert.equal(bare.type === "access" && bare.until, "until you cancel");
  assert.equal(bare.type === "access" && bare.transactions, null);
  const summary = accountAccessKind.summarise(
    {
      ...consent,
      expiresAt: instant("2027-07-02T23:30:00Z"),
      transactionsFrom: instant("2025-05-01T00:00:00Z"),
      transactionsTo: instant("2026-01-31T00:00:00Z"),
    },
    now,
  );
  assert.equal(summary.type === "access" && summary.until, "until 3 July 2027");
  assert.equal(
    summary.type === "access" && summary.transactions,
    "from 1 May 2025 to 31 January 2026",
  );
});

test("A-110: when its time is over, a consent cannot be authorised again", () => {
  assert.equal(accountAccessKind.whyNotNow(consent, now), null);
  assert.ok(accountAccessKind.whyNotNow({ ...consent, expiresAt: now }, now));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import { showClusters } from "#src/accounts/consent/data-clusters.ts";
import type { Consent } from "#src/consents/consent.ts";
import {
  type Permission,
  permissions,
} from "#src/standard/shared/accounts/account-access-consent.ts";

const instant = (text: string) => Temporal.Instant.from(text);
const now = instant("2026-11-21T10:00:00Z");

const consent: Consent = {
  consentId: "aac-1",
  kind: "account-access",
  apiVersion: "aisp-v3.1",
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
  debtor: null,
  grantId: null,
  authorisedAt: null,
  pausedAt: null,
};

const textsOf = (codes: string[]): string[] =>
  showClusters(codes).flatMap(({ lines }) => lines.map(({ text }) => text));

// The texts that the customer experience guidelines prescribe, cluster by cluster. Their text about
// the logged-in person was not available, so the bank adapts their text about the account's
// holders.
const prescribed: Record<string, Partial<Record<Permission, string>>> = {
  "Your Account Details": {
    ReadAccountsBasic:
      "Any other name by which you refer to this account and/or the currency of the account",
    ReadAccountsDetail: "Your account name, number and sort-code",
    ReadBalances: "Your account balance",
    ReadPAN: "Your card number",
  },
  "Your Regular Payments": {
    ReadBeneficiariesBasic: "Payee agreements you have set up",
    ReadBeneficiariesDetail: "Details of Payee agreements you have set up",
    ReadStandingOrdersBasic: "Your Standing Orders",
    ReadStandingOrdersDetail: "Details of your Standing Orders",
    ReadDirectDebits: "Your Direct Debits",
    ReadScheduledPaymentsBasic: "Recurring and future dated payments",
    ReadScheduledPaymentsDetail: "Details of recurring and future dated payments",
  },
  "Your Account Transactions": {
    ReadTransactionsBasic: "Your transactions",
    ReadTransactionsDetail: "Details of your transactions",
  },
  "Your Statements": {
    ReadStatementsBasic: "Information contained in your statement",
    ReadStatementsDetail: "Details of information contained in your statement",
  },
  "Your Account Features and Benefits": {
    ReadProducts: "Product details - fees, charges, interest, benefits/rewards",
    ReadOffers: "Offers available on your account",
  },
  "Contact and party details": {
    ReadParty:
      "The full legal name(s) of account holder(s). " +
      "Address(es), telephone number(s) and email address(es)*",
    ReadPartyPSU: "Your full legal name, address, telephone number and email address",
  },
};

test("every permission has its prescribed text, in its cluster", () => {
  const directions = ["ReadTransactionsCredits", "ReadTransactionsDebits"];
  const listed = Object.values(prescribed).flatMap((texts) => Object.keys(texts));
  assert.deepEqual([...listed, ...directions].sort(), [...permissions].sort());
  for (const [title, texts] of Object.entries(prescribed)) {
    for (const [code, text] of Object.entries(texts)) {
      const asked = code.startsWith("ReadTransactions") ? [code, ...directions] : [code];
      const shown = showClusters(asked).map((cluster) => [
        cluster.title,
        ...cluster.lines.map((line) => line.text),
      ]);
      assert.deepEqual(shown, [[title, text]], code);
    }
  }
  // a direction alone gives access to nothing
  assert.deepEqual(showClusters(directions), []);
});

test("the text for transactions depends on detail and direction", () => {
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

test("a Detail permission replaces its Basic permission on the consent page", () => {
  assert.deepEqual(textsOf(["ReadAccountsBasic", "ReadAccountsDetail"]), [
    "Your account name, number and sort-code",
  ]);
});

test("clusters are shown in a fixed order, and a cluster without lines is left out", () => {
  const titles = showClusters(["ReadTransactionsBasic", "ReadTransactionsDebits", "ReadBalances"]);
  assert.deepEqual(
    titles.map(({ title }) => title),
    ["Your Account Details", "Your Account Transactions"],
  );
});

test("the consent page shows expiry and window as London dates", () => {
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
  assert.equal(summary.type === "access" && summary.until, "until 3 July 2027 at 00:30");
  assert.equal(
    summary.type === "access" && summary.transactions,
    "from 1 May 2025 to 31 January 2026",
  );
});

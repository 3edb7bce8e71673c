import type { AccessSummary } from "#src/pages/consent-summary.ts";
import type { Permission } from "#src/standard/shared/accounts/account-access-consent.ts";

type PermissionLine = {
  /** Shown if this permission is requested, */
  code: Permission;
  /** …and all of these, */
  and?: readonly Permission[];
  /** …and none of these, whose lines include this one. */
  unless?: readonly Permission[];
  text: string;
  detail: string;
};

const credits = "ReadTransactionsCredits";
const debits = "ReadTransactionsDebits";
const nameAndCurrency =
  "Any other name by which you refer to this account and/or the currency of the account";
const transactionFields = "Dates, amounts, kinds of transactions and references";
const transactionDetails =
  "Dates, amounts and references, who paid or was paid, and the balance after each transaction";

/**
 * The prescribed words for requested data: clusters in order, with their lines. Source: customer
 * experience guidelines, Data Cluster Structure & Language.
 */
const clusters: readonly { title: string; lines: readonly PermissionLine[] }[] = [
  {
    title: "Your Account Details",
    lines: [
      {
        code: "ReadAccountsBasic",
        unless: ["ReadAccountsDetail"],
        text: nameAndCurrency,
        detail: "Currency and nickname of the account, its type and when it was opened",
      },
      {
        code: "ReadAccountsDetail",
        text: "Your account name, number and sort-code",
        detail: "Account name, sort code, account number, IBAN and roll number",
      },
      {
        code: "ReadBalances",
        text: "Your account balance",
        detail: "Amount, currency, credit or debit, date and time, and credit line",
      },
      {
        code: "ReadPAN",
        text: "Your card number",
        detail: "The number of your card, as you see it online",
      },
    ],
  },
  {
    title: "Your Regular Payments",
    lines: [
      {
        code: "ReadBeneficiariesBasic",
        unless: ["ReadBeneficiariesDetail"],
        text: "Payee agreements you have set up",
        detail: "The list of your payees",
      },
      {
        code: "ReadBeneficiariesDetail",
        text: "Details of Payee agreements you have set up",
        detail: "The list of your payees with their account information",
      },
      {
        code: "ReadStandingOrdersBasic",
        unless: ["ReadStandingOrdersDetail"],
        text: "Your Standing Orders",
        detail: "Frequency, reference, and first, next and final payment",
      },
      {
        code: "ReadStandingOrdersDetail",
        text: "Details of your Standing Orders",
        detail: "Frequency, reference, first, next and final payment, and who is paid",
      },
      {
        code: "ReadDirectDebits",
        text: "Your Direct Debits",
        detail: "Mandate, status, name and previous payment",
      },
      {
        code: "ReadScheduledPaymentsBasic",
        unless: ["ReadScheduledPaymentsDetail"],
        text: "Recurring and future dated payments",
        detail: "Date, amount and reference",
      },
      {
        code: "ReadScheduledPaymentsDetail",
        text: "Details of recurring and future dated payments",
        detail: "Date, amount, reference, and who is paid",
      },
    ],
  },
  {
    title: "Your Account Transactions",
    lines: [
      ...transactionLines("ReadTransactionsBasic", ["ReadTransactionsDetail"], transactionFields, [
        "Your incoming transactions",
        "Your outgoing transactions",
        "Your transactions",
      ]),
      ...transactionLines("ReadTransactionsDetail", [], transactionDetails, [
        "Details of your incoming transactions",
        "Details of your outgoing transactions",
        "Details of your transactions",
      ]),
    ],
  },
  {
    title: "Your Statements",
    lines: [
      {
        code: "ReadStatementsBasic",
        unless: ["ReadStatementsDetail"],
        text: "Information contained in your statement",
        detail: "Periods, fees, interest and rates, without balances and totals",
      },
      {
        code: "ReadStatementsDetail",
        text: "Details of information contained in your statement",
        detail: "Periods, amounts, fees, interest and rates, and the statement itself",
      },
    ],
  },
  {
    title: "Your Account Features and Benefits",
    lines: [
      {
        code: "ReadProducts",
        text: "Product details - fees, charges, interest, benefits/rewards",
        detail: "The terms of your account",
      },
      {
        code: "ReadOffers",
        text: "Offers available on your account",
        detail: "Offers made to you: balance transfers, promotional rates, limit increases",
      },
    ],
  },
  {
    title: "Contact and party details",
    lines: [
      {
        code: "ReadParty",
        text:
          "The full legal name(s) of account holder(s). " +
          "Address(es), telephone number(s) and email address(es)*",
        detail: "For everyone who holds the account",
      },
      {
        code: "ReadPartyPSU",
        text: "Your full legal name, address, telephone number and email address",
        detail: "For you, the person who is logged in",
      },
    ],
  },
];

function transactionLines(
  code: Permission,
  unless: Permission[],
  detail: string,
  [incoming, outgoing, both]: [string, string, string],
): PermissionLine[] {
  const line = { code, detail };
  return [
    { ...line, and: [credits], unless: [...unless, debits], text: incoming },
    { ...line, and: [debits], unless: [...unless, credits], text: outgoing },
    { ...line, and: [credits, debits], unless, text: both },
  ];
}

/** Returns the clusters of permissions in order, each with the lines that apply. */
export function showClusters(permissions: readonly string[]): AccessSummary["clusters"] {
  const has = (code: string) => permissions.includes(code);
  const applies = ({ code, and = [], unless = [] }: PermissionLine) =>
    has(code) && and.every(has) && !unless.some(has);
  return clusters
    .map(({ title, lines }) => ({
      title,
      lines: lines.filter(applies).map(({ text, detail }) => ({ text, detail })),
    }))
    .filter(({ lines }) => lines.length > 0);
}

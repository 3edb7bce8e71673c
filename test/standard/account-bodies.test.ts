import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import { accountAccessConsent } from "#src/standard/aisp-v3.1/account-access-consent.ts";
import { readBalance, readTransaction } from "#src/standard/aisp-v3.1/resources.ts";
import { permissions } from "#src/standard/shared/accounts/account-access-consent.ts";

const consent = (data: object, risk: object = {}) => ({
  Data: { Permissions: ["ReadAccountsBasic"], ...data },
  Risk: risk,
});

const transactions = (members: object) => ({
  Data: {
    Transaction: [
      {
        AccountId: "a1",
        CreditDebitIndicator: "Debit",
        Status: "Booked",
        BookingDateTime: "2026-11-20T00:00:00+00:00",
        Amount: { Amount: "1.00", Currency: "GBP" },
        ...members,
      },
    ],
  },
});
const balance = {
  AccountId: "a1",
  CreditDebitIndicator: "Credit",
  Type: "InterimBooked",
  DateTime: "2026-11-20T00:00:00+00:00",
  Amount: { Amount: "0.00", Currency: "GBP" },
};

const { request } = accountAccessConsent;

const cases: [fact: string, schema: TSchema, body: unknown, code: string | null, path?: string][] =
  [
    [
      "A-060: a consent with every permission",
      request,
      consent({ Permissions: permissions }),
      null,
    ],
    [
      "A-079: a repeated permission",
      request,
      consent({ Permissions: ["ReadBalances", "ReadBalances"] }),
      null,
    ],
    [
      "A-064: an empty list of permissions",
      request,
      consent({ Permissions: [] }),
      "U002",
      "Data.Permissions",
    ],
    [
      "A-065: a request without Permissions",
      request,
      { Data: {}, Risk: {} },
      "U004",
      "Data.Permissions",
    ],
    ["A-066: a request without Data", request, { Risk: {} }, "U004", "Data"],
    [
      "A-067: a request without Risk",
      request,
      { Data: { Permissions: ["ReadBalances"] } },
      "U004",
      "Risk",
    ],
    ["A-068: a Risk with a member", request, consent({}, { x: 1 }), "U005", "Risk.x"],
    ["A-069: an additional member at the top", request, { ...consent({}), x: 1 }, "U005", "x"],
    ["A-069: an additional member of Data", request, consent({ x: 1 }), null],
    [
      "A-070: an unknown permission",
      request,
      consent({ Permissions: ["ReadFoo"] }),
      "U002",
      "Data.Permissions[0]",
    ],
    [
      "A-070: a string in place of the list of permissions",
      request,
      consent({ Permissions: "ReadBalances" }),
      "U002",
      "Data.Permissions",
    ],
    [
      "A-081: an expiry that is not a date",
      request,
      consent({ ExpirationDateTime: "not-a-date" }),
      "U003",
      "Data.ExpirationDateTime",
    ],
    [
      "A-081: an expiry on a date that does not exist",
      request,
      consent({ ExpirationDateTime: "2025-02-30T00:00:00Z" }),
      "U003",
      "Data.ExpirationDateTime",
    ],
    ...[
      "2016-01-01",
      "2016-01-01T10:40",
      "20160101T104012Z",
      "2016-01-01T10:40:12.34567+01",
      "2016-01-01T10:40:00+02:00",
    ].map((text): [string, TSchema, unknown, null] => [
      `A-083: the date ${text}`,
      request,
      consent({ TransactionFromDateTime: text }),
      null,
    ]),
    [
      "A-171: a transaction with its text",
      readTransaction,
      transactions({ TransactionInformation: "Rent" }),
      null,
    ],
    [
      "A-186: a rate as a string",
      readTransaction,
      transactions({ CurrencyExchange: { SourceCurrency: "USD", ExchangeRate: "1.2" } }),
      "U002",
      "Data.Transaction[0].CurrencyExchange.ExchangeRate",
    ],
    [
      "A-187: a bank code without its sub-code",
      readTransaction,
      transactions({ BankTransactionCode: { Code: "IssuedCreditTransfers" } }),
      "U004",
      "Data.Transaction[0].BankTransactionCode.SubCode",
    ],
    ["a balance", readBalance, { Data: { Balance: [balance] } }, null],
    [
      "D-04: an empty list of balances",
      readBalance,
      { Data: { Balance: [] } },
      "U002",
      "Data.Balance",
    ],
  ];

for (const [fact, schema, body, code, path] of cases) {
  test(`${fact} is ${code === null ? "accepted" : "refused"} by the schema`, () => {
    const faults = judge(compileSchema(schema), body);
    assert.deepEqual(
      faults.map((fault) => [fault.code, fault.path]),
      code === null ? [] : [[code, path]],
    );
  });
}

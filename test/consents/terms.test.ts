import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ConsentTerms,
  fromTermsRecord,
  type TermsRecord,
  termsJson,
  toTermsRecord,
} from "#src/consents/terms.ts";

const creditor = {
  schemeName: "UK.OBIE.IBAN",
  identification: "GB04CPBK08005470328725",
  name: null,
  secondaryIdentification: null,
};

const everything: Required<ConsentTerms> = {
  charges: [
    {
      chargeBearer: "Shared",
      type: "GB.Aldgate.SWIFTOut",
      amount: { amountMinor: 12_345_678_901_234_567_890n, currency: "GBP" },
    },
  ],
  cutOff: Temporal.Instant.from("2027-03-02T16:00:00Z"),
  exchangeRate: {
    unitCurrency: "GBP",
    value: 1.1543,
    type: "Actual",
    contractId: null,
    expiresAt: Temporal.Instant.from("2027-03-02T10:15:00Z"),
  },
  contractAccountId: "acc-1",
  file: {
    fileId: "file-1",
    messageId: null,
    count: 2,
    abroad: 1,
    totals: [{ amountMinor: 100n, currency: "JPY", count: 2 }],
    controlSum: "100",
    accountCurrency: null,
    debtor: creditor,
    firstDay: null,
    lastDay: Temporal.PlainDate.from("2027-03-08"),
  },
  vrpContract: {
    contractId: "contract-1",
    purpose: "bills",
    endedAt: Temporal.Instant.from("2027-03-03T00:00:00Z"),
  },
  device: { ipAddress: "203.0.113.7", userAgent: null },
};

test("stored terms are read back with exact amounts, times and dates", () => {
  const read = fromTermsRecord(JSON.parse(termsJson(everything)) as TermsRecord);
  assert.deepEqual(toTermsRecord(read), toTermsRecord(everything));
  assert.equal(read.charges?.[0]?.amount.amountMinor, 12_345_678_901_234_567_890n);
  assert.ok(read.cutOff?.equals("2027-03-02T16:00:00Z"));
  assert.ok(read.exchangeRate?.expiresAt?.equals("2027-03-02T10:15:00Z"));
  assert.equal(read.file?.totals[0]?.amountMinor, 100n);
  assert.equal(read.file.firstDay, null);
  assert.ok(read.file.lastDay?.equals("2027-03-08"));
  assert.ok(read.vrpContract?.endedAt?.equals("2027-03-03T00:00:00Z"));
});

test("a consent without additions by the bank has empty terms", () => {
  assert.deepEqual(fromTermsRecord({}), {});
  assert.deepEqual(toTermsRecord({}), {});
});

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { ibanFrom } from "#src/sandbox/bank/account-numbers.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { accounts, firstFault } from "#test/payments/fixture.ts";
import { type Abroad, openAbroad, payeeOf, start } from "#test/payments/international/abroad.ts";
import {
  amount,
  bic,
  dollars,
  euros,
  iban,
  instructed,
  mixed,
  other,
  pounds,
  rate,
  transferAbroad,
} from "./abroad-samples.ts";
import { type FileBank, json31, openFiles, pain } from "./fixture.ts";
import { sampleXml } from "./samples.ts";

let bank: Abroad;
let files: FileBank;
before(async () => {
  bank = await openAbroad();
  files = openFiles(bank);
});
beforeEach(() => bank.clock.set(start));
after(async () => {
  assert.deepEqual(await bank.breaches(), []);
  await bank.close();
});

const onDay = { RequestedExecutionDateTime: "2027-03-10T00:00:00+00:00" };
const closed = ibanFrom("DE", "009900990099000012");

async function read(orderId: string, of = ""): Promise<Json> {
  return (await bank.get(`/file-payments/${orderId}${of}`)).body.Data;
}

async function statuses(orderId: string): Promise<string[]> {
  const { PaymentStatus } = await read(orderId, "/payment-details");
  return PaymentStatus.map((one: Json) => one.Status);
}

/** Returns the debit of a payment at the current rate, without charges. */
async function debitOf(Amount: string, currency: string, transfer = currency): Promise<bigint> {
  const price = await bank.core.price({
    debtorAccountId: accounts.current,
    amount: { amountMinor: BigInt(Amount.replace(".", "")), currency },
    international: {
      transferCurrency: transfer,
      rate: null,
      contractId: null,
      charge: null,
      deduction: null,
      network: "SWIFT",
      creditorAgent: null,
      fundsAtOnce: false,
    },
  });
  return price?.debit.amountMinor ?? 0n;
}

test("P-195, P-214, P-216: a JSON file of mixed kinds goes from consent to INCO", async () => {
  const file = mixed({
    DomesticPayments: [pounds(amount("7.25", "GBP"))],
    InternationalPayments: [
      euros(amount("100.00", "EUR")),
      dollars({ ChargeBearer: "BorneByDebtor" }),
      euros({ ...amount("20.00", "GBP"), ...rate("Indicative") }),
    ],
    InternationalScheduledPayments: [{ ...euros(amount("5.50", "EUR")), ...onDay }],
    DomesticScheduledPayments: [{ ...pounds(), ...onDay }],
  });
  const initiation = { NumberOfTransactions: "6", ControlSum: 233.75 };
  const before = await bank.balance(accounts.current);
  const { consentId, orderId } = await files.ordered({ ...file, initiation });
  const { Charges } = (await bank.get(`/file-payment-consents/${consentId}`)).body.Data;
  assert.deepEqual(
    Charges.map((one: Json) => [one.ChargeBearer, one.Type, one.Amount.Amount]),
    [
      ["BorneByDebtor", "GB.Aldgate.SWIFTOut", "10.00"],
      ["BorneByDebtor", "GB.Aldgate.OtherBanks", "12.00"],
    ],
  );
  await bank.engine.drain();
  const today = before - (await bank.balance(accounts.current));
  assert.equal(
    today,
    725n + (await debitOf("100.00", "EUR")) + (await debitOf("100.00", "USD")) + 2_200n + 2_000n,
  );
  await bank.runTo("2027-03-03T11:00:00Z");
  assert.deepEqual(await statuses(orderId), ["ACCC", "ACCC", "ACCC", "ACCC", "PDNG", "PDNG"]);
  assert.equal((await read(orderId)).Status, "PDNG");
  const interim = await read(orderId, "/report-file");
  assert.deepEqual(Object.keys(interim).slice(-4), [
    "DomesticPayments",
    "InternationalPayments",
    "InternationalScheduledPayments",
    "DomesticScheduledPayments",
  ]);
  assert.deepEqual(
    interim.InternationalPayments.map((one: Json) => one.InstructedAmount),
    [
      { Amount: "100.00", Currency: "EUR" },
      { Amount: "100.00", Currency: "USD" },
      { Amount: "20.00", Currency: "GBP" },
    ],
  );
  await bank.runTo("2027-03-10T06:00:00Z");
  const later = before - today - (await bank.balance(accounts.current));
  assert.equal(later, 100n + (await debitOf("5.50", "EUR")), "at the rate of the payment date");
  await bank.runTo("2027-03-10T06:10:00Z");
  assert.equal((await read(orderId)).Status, "INCO");
  assert.deepEqual(await bank.breaches(), []);
});

const swift = { agent: bic("NONEUS33"), account: other("000099000001") };

test("P-195, P-214, P-215: a pain.001 file of mixed transfers goes from consent to INCO", async () => {
  const abroad = [
    // euros to an IBAN use SEPA, dollars use SWIFT, an equivalent amount is in the account's
    // currency
    { xml: transferAbroad({ amount: instructed("EUR"), account: iban(payeeOf("accept")) }) },
    {
      xml: transferAbroad({
        ...swift,
        type: "<PmtTpInf><InstrPrty>HIGH</InstrPrty></PmtTpInf>",
        amount: instructed("USD"),
        terms: "<ChrgBr>CRED</ChrgBr>",
        creditor: "<PstlAdr><TwnNm>Boston</TwnNm><Ctry>US</Ctry></PstlAdr>",
      }),
    },
    {
      xml: transferAbroad({
        amount: '<EqvtAmt><Amt Ccy="GBP">100.00</Amt><CcyOfTrf>EUR</CcyOfTrf></EqvtAmt>',
        terms: "<XchgRateInf><UnitCcy>GBP</UnitCcy><RateTp>SPOT</RateTp></XchgRateInf>",
        account: iban(payeeOf("accept")),
      }),
    },
    // pounds to a foreign bank
    { xml: transferAbroad({ ...swift, amount: instructed("GBP") }) },
  ].map((one) => ({ ...one, amount: "100.00" }));
  const text = sampleXml({
    groups: [
      { date: "2027-03-03", payments: [{ amount: "3.00" }, ...abroad] },
      { date: "2027-03-10", payments: abroad.slice(0, 1) },
    ],
  });
  const before = await bank.balance(accounts.current);
  const { consentId, orderId } = await files.ordered({ fileType: pain, text });
  const { Charges } = (await bank.get(`/file-payment-consents/${consentId}`)).body.Data;
  assert.deepEqual(
    Charges.map((one: Json) => [one.ChargeBearer, one.Amount.Amount]),
    [
      ["BorneByCreditor", "20.00"],
      ["Shared", "10.00"],
    ],
  );
  await bank.engine.drain();
  assert.equal(
    before - (await bank.balance(accounts.current)),
    300n + (await debitOf("100.00", "EUR")) + (await debitOf("100.00", "USD")) + 20_000n + 1_000n,
  );
  await bank.runTo("2027-03-03T11:00:00Z");
  assert.deepEqual((await statuses(orderId)).slice(0, 5), Array(5).fill("ACCC"));
  assert.equal((await read(orderId)).Status, "PDNG");
  await bank.runTo("2027-03-10T06:00:00Z");
  assert.equal((await read(orderId)).Status, "INCO");
  const report = (await bank.get(`/file-payments/${orderId}/report-file`)).body;
  assert.match(report, /<OrgnlCtrlSum>503\.00<\/OrgnlCtrlSum><GrpSts>ACSC</);
  assert.match(report, /<InstdAmt Ccy="USD">100\.00</);
  assert.deepEqual(await bank.breaches(), []);
});

test("P-165, P-215: a file with a refused international payment is INFA, and its report shows the refusal", async () => {
  const account = { SchemeName: "UK.OBIE.IBAN", Identification: closed, Name: "Closed" };
  const { orderId } = await files.ordered(
    mixed({
      DomesticPayments: [pounds()],
      InternationalPayments: [euros(), euros({ CreditorAccount: account })],
    }),
  );
  await bank.engine.drain();
  await bank.runTo("2027-03-03T11:00:00Z");
  const { Status, StatusReason } = await read(orderId);
  assert.equal(Status, "INFA");
  assert.deepEqual(StatusReason, [
    {
      StatusReasonCode: "AC04",
      StatusReasonDescription: "1 of the payments: ClosedAccountNumber",
    },
  ]);
  const { PaymentStatus } = await read(orderId, "/payment-details");
  assert.deepEqual(
    PaymentStatus.map((one: Json) => [one.Status, one.StatusDetail.StatusReason]),
    [
      ["ACCC", undefined],
      ["ACCC", undefined],
      ["RJCT", "AC04"],
    ],
  );
  const report = await read(orderId, "/report-file");
  assert.deepEqual(
    report.InternationalPayments.map((one: Json) => [one.Status, one.StatusReason]),
    [
      ["ACCC", undefined],
      ["RJCT", "AC04"],
    ],
  );
  assert.deepEqual(await bank.breaches(), []);
});

test("a file of international payments only can be paid from an account in another currency", async () => {
  const before = await bank.balance(accounts.euro);
  const file = mixed({ InternationalPayments: [euros(), euros(amount("1.50", "EUR"))] });
  const { orderId } = await files.ordered(file, accounts.euro);
  await bank.engine.drain();
  await bank.runTo("2027-03-03T11:00:00Z");
  assert.equal((await read(orderId)).Status, "INCO");
  assert.equal(before - (await bank.balance(accounts.euro)), 10_150n);
});

test("P-080: in a file of mixed kinds, the consent's local instrument applies only to the kinds that offer it", async () => {
  const file = mixed({ DomesticPayments: [pounds()], InternationalPayments: [euros()] });
  const initiation = { LocalInstrument: "UK.OBIE.SWIFT" };
  const { consentId, orderId } = await files.ordered({ ...file, initiation });
  const { Charges } = (await bank.get(`/file-payment-consents/${consentId}`)).body.Data;
  assert.equal(Charges[0].Type, "GB.Aldgate.SWIFTOut");
  const { PaymentStatus } = await read(orderId, "/payment-details");
  assert.deepEqual(
    PaymentStatus.map((one: Json) => one.StatusDetail.LocalInstrument),
    [undefined, "UK.OBIE.SWIFT"],
  );
});

test("D-401-58: files of v3.1 contain the same kinds of payment, without the members of v4.0", async () => {
  const upload = async (members: Json) => {
    const file = { ...mixed({ InternationalPayments: [euros(members)] }), fileType: json31 };
    const { consentId } = await files.lodge(file);
    return files.upload(consentId, file);
  };
  assert.equal((await upload({})).status, 200);
  const fault = ["U005", "Data.InternationalPayments[0].UltimateDebtor"];
  assert.deepEqual(firstFault(await upload({ UltimateDebtor: {} })), fault);
});

test("the number of queries does not grow with the payments or currencies of a file", async () => {
  const currencies = ["EUR", "USD", "CHF", "JPY", "NOK"];
  const spent = async (n: number): Promise<number> => {
    const payments = Array.from({ length: n }, (_, at) => {
      const CurrencyOfTransfer = currencies[at % currencies.length] ?? "EUR";
      return euros({ ...amount("1", CurrencyOfTransfer), CurrencyOfTransfer });
    });
    const file = mixed({ InternationalPayments: payments });
    const { consentId } = await files.lodge(file);
    const before = bank.statements();
    assert.equal((await files.upload(consentId, file)).status, 200);
    return bank.statements() - before;
  };
  assert.equal(await spent(300), await spent(5));
});

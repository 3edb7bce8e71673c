import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Json } from "#test/payments/answer-check.ts";
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
import { type FileBank, openFiles, pain, type SampleFile } from "./fixture.ts";
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

const swift = { agent: bic("NONEUS33"), account: other("000099000001") };

/** Uploads a file that must be refused. Returns the code, path and line of each error. */
async function refused(file: SampleFile): Promise<[string, string, string | undefined][]> {
  const { consentId } = await files.lodge(file);
  const answer = await files.upload(consentId, file);
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  assert.equal(await files.statusOf(consentId), "RJCT");
  return answer.body.Errors.map((one: Json) => [
    one.ErrorCode,
    one.Path,
    / - Line (\d+): [A-Z]/.exec(one.Message)?.[1],
  ]);
}

const contract = { ExchangeRate: 1.2, ContractIdentification: "FX-1" };
const inJson: readonly (readonly [string, Json, ...(readonly [string, string])[]])[] = [
  ["P-126: an Actual rate", euros(rate("Actual")), ["U002", "ExchangeRateInformation.RateType"]],
  [
    "P-122: an Agreed rate",
    euros(rate("Agreed", contract)),
    ["U002", "ExchangeRateInformation.RateType"],
  ],
  [
    "P-119: an Agreed rate without its contract",
    euros(rate("Agreed")),
    ["U002", "ExchangeRateInformation.RateType"],
  ],
  [
    "P-117, P-079: a currency that the bank does not send",
    euros({ ...amount("1.00", "THB"), CurrencyOfTransfer: "THB" }),
    ["U023", "InstructedAmount.Currency"],
    ["U023", "CurrencyOfTransfer"],
  ],
  [
    "P-113: a ChargeBearer that SEPA does not offer",
    euros({ LocalInstrument: "UK.OBIE.SEPACreditTransfer", ChargeBearer: "BorneByDebtor" }),
    ["U002", "ChargeBearer"],
  ],
  [
    "P-115: a missing CreditorAgent",
    dollars({ CreditorAgent: undefined }),
    ["U001", "CreditorAgent"],
  ],
  [
    "P-080: a local instrument of domestic payments",
    euros({ LocalInstrument: "UK.OBIE.FPS" }),
    ["U026", "LocalInstrument"],
  ],
  [
    "P-083: an invalid IBAN",
    euros({ CreditorAccount: { SchemeName: "UK.OBIE.IBAN", Identification: "DE00", Name: "N" } }),
    ["U021", "CreditorAccount.Identification"],
  ],
  [
    "P-128: a rate from a currency to itself",
    euros(rate("Indicative", {}, "EUR")),
    ["U002", "ExchangeRateInformation.UnitCurrency"],
  ],
  [
    "P-060: a missing transfer currency",
    euros({ CurrencyOfTransfer: undefined }),
    ["U004", "CurrencyOfTransfer"],
  ],
  [
    "P-077: an amount in yen above the limit",
    euros({ ...amount("2000000000", "JPY"), CurrencyOfTransfer: "JPY" }),
    ["U002", "InstructedAmount.Amount"],
  ],
];
for (const [name, initiation, ...expected] of inJson) {
  test(`${name} is refused in a JSON file`, async () => {
    const faults = await refused(
      mixed({ DomesticPayments: [pounds()], InternationalPayments: [initiation] }),
    );
    assert.deepEqual(
      faults.map(([code, path]) => [code, path]),
      expected.map(([code, member]) => [code, `Data.InternationalPayments[0].${member}`]),
    );
    assert.ok(faults.every(([, , line]) => line !== undefined));
  });
}

const toGermany = { amount: instructed("EUR"), account: iban(payeeOf("accept")) };
const inXml: readonly (readonly [string, string, ...(readonly [string, string])[]])[] = [
  [
    "P-122: an Agreed rate",
    transferAbroad({
      ...toGermany,
      terms: "<XchgRateInf><XchgRate>1.2</XchgRate><RateTp>AGRD</RateTp></XchgRateInf>",
    }),
    ["U002", "XchgRateInf"],
  ],
  [
    "a contract rate",
    transferAbroad({
      ...toGermany,
      terms: "<XchgRateInf><CtrctId>FX-1</CtrctId></XchgRateInf>",
    }),
    ["U002", "XchgRateInf"],
  ],
  [
    "P-117, P-079: a currency that the bank does not send",
    transferAbroad({ ...swift, amount: instructed("THB") }),
    ["U023", "Amt/InstdAmt/@Ccy"],
  ],
  [
    "a foreign account without its bank",
    transferAbroad({ amount: instructed("USD"), account: other("000099000001") }),
    ["U001", "CdtrAgt"],
  ],
  [
    "P-113: FollowingServiceLevel through SWIFT",
    transferAbroad({ ...swift, amount: instructed("USD"), terms: "<ChrgBr>SLEV</ChrgBr>" }),
    ["U002", "ChrgBr"],
  ],
  [
    "an unknown charge bearer",
    transferAbroad({ ...toGermany, terms: "<ChrgBr>BOTH</ChrgBr>" }),
    ["U002", "ChrgBr"],
  ],
  [
    "an unknown priority",
    transferAbroad({
      ...toGermany,
      type: "<PmtTpInf><InstrPrty>SOON</InstrPrty></PmtTpInf>",
    }),
    ["U002", "PmtTpInf/InstrPrty"],
  ],
  [
    "a bank in another country than the account",
    transferAbroad({ ...toGermany, agent: bic("NONEUS33") }),
    ["U002", "CdtrAgt/FinInstnId/BICFI"],
  ],
  [
    "a bank with only its name",
    transferAbroad({ ...swift, amount: instructed("USD"), agent: "<Nm>Harbor National</Nm>" }),
    ["U001", "CdtrAgt/FinInstnId/PstlAdr"],
  ],
  [
    "an amount given twice",
    transferAbroad({
      ...toGermany,
      amount: `${instructed("EUR")}<EqvtAmt><Amt Ccy="GBP">1.00</Amt><CcyOfTrf>EUR</CcyOfTrf></EqvtAmt>`,
    }),
    ["U002", "Amt/InstdAmt"],
  ],
  [
    "P-117: an equivalent amount in a currency that the bank does not send",
    transferAbroad({
      ...toGermany,
      amount: '<EqvtAmt><Amt Ccy="GBP">1.00</Amt><CcyOfTrf>THB</CcyOfTrf></EqvtAmt>',
    }),
    ["U023", "Amt/EqvtAmt/CcyOfTrf"],
  ],
  [
    "P-083: an invalid IBAN",
    transferAbroad({ ...toGermany, account: iban("DE00") }),
    ["U021", "CdtrAcct/Id"],
  ],
];
for (const [name, xml, ...expected] of inXml) {
  test(`${name} is refused in a pain.001 file, with its element and line`, async () => {
    const payments = [{ amount: "3.00" }, { amount: "100.00", xml }];
    const text = sampleXml({ groups: [{ date: "2027-03-03", payments }] });
    assert.deepEqual(
      await refused({ fileType: pain, text }),
      expected.map(([code, element]) => [
        code,
        `Document/CstmrCdtTrfInitn/PmtInf[1]/CdtTrfTxInf[2]/${element}`,
        "6",
      ]),
    );
  });
}

test("a fault in a PmtInf's bearer or priority is reported at the PmtInf", async () => {
  const payments = [{ amount: "100.00", xml: transferAbroad(toGermany) }];
  const text = sampleXml({ groups: [{ date: "2027-03-03", payments }] }).replace(
    "</DbtrAgt>",
    "</DbtrAgt><ChrgBr>BOTH</ChrgBr>",
  );
  assert.deepEqual(await refused({ fileType: pain, text }), [
    ["U002", "Document/CstmrCdtTrfInitn/PmtInf[1]/ChrgBr", "5"],
  ]);
});

test("the country is taken from the bank's address or the creditor's address", async () => {
  const named = "<Nm>Harbor National</Nm><PstlAdr><AdrLine>1 Pier</AdrLine></PstlAdr>";
  const lives = "<PstlAdr><Ctry>US</Ctry></PstlAdr>";
  const transfer = { ...swift, amount: instructed("USD"), agent: named };
  const file = (xml: string): SampleFile => ({
    fileType: pain,
    text: sampleXml({ groups: [{ date: "2027-03-03", payments: [{ amount: "100.00", xml }] }] }),
  });
  await files.uploaded(file(transferAbroad({ ...transfer, creditor: lives })));
  const [fault] = await refused(file(transferAbroad(transfer)));
  assert.deepEqual(fault?.slice(0, 2), [
    "U001",
    "Document/CstmrCdtTrfInitn/PmtInf[1]/CdtTrfTxInf[1]/Cdtr/PstlAdr/Ctry",
  ]);
});

test("P-128: all payments of a file need an account in the same currency", async () => {
  const unit = "ExchangeRateInformation.UnitCurrency";
  const fromDollars = euros(rate("Indicative", {}, "USD"));
  const both = mixed({ DomesticPayments: [pounds()], InternationalPayments: [fromDollars] });
  const faultsOf = async (file: SampleFile) =>
    (await refused(file)).map(([code, path]) => [code, path]);
  assert.deepEqual(await faultsOf(both), [["U002", `Data.InternationalPayments[0].${unit}`]]);
  // a named account is checked after the file has been read
  const DebtorAccount = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "00100155555555",
  };
  const named = { initiation: { DebtorAccount } };
  assert.deepEqual(await faultsOf({ ...mixed({ DomesticPayments: [pounds()] }), ...named }), [
    ["U002", "Data.DomesticPayments[0].InstructedAmount.Currency"],
  ]);
  const inPounds = euros({ ...amount("1.00", "GBP"), DebtorAccount });
  assert.deepEqual(await faultsOf(mixed({ InternationalPayments: [inPounds] })), [
    ["U002", "Data.InternationalPayments[0].InstructedAmount.Currency"],
  ]);
  await files.uploaded({ ...mixed({ InternationalPayments: [fromDollars] }), ...named });
});

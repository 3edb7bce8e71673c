import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ibanFrom } from "#src/sandbox/bank/account-numbers.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { firstFault, openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import { consents, dollarConsent, euroConsent, onDay, scheduledConsents } from "./abroad.ts";

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank.close());

const initiation = "Data.Initiation";
type Change = (initiation: Json) => void;
type Make = (change: Change) => Json;

const euros: Make = (change) => euroConsent(({ Data }) => change(Data.Initiation));
const usd: Make = (change) => dollarConsent(({ Data }) => change(Data.Initiation));
const address = { TownName: "New York", Country: "US" };
const SEPA = { LocalInstrument: "UK.OBIE.SEPACreditTransfer" };
const inBritain = {
  CreditorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "20201010981789",
    Name: "J",
  },
};
const toIban = (Identification: string) => ({
  CreditorAccount: { SchemeName: "UK.OBIE.IBAN", Identification, Name: "K" },
});
const agent = (CreditorAgent: Json) => ({ CreditorAgent });
const bic = (Identification: string) => agent({ SchemeName: "UK.OBIE.BICFI", Identification });
const rupees = { CurrencyOfTransfer: "INR", InstructedAmount: { Amount: "1.00", Currency: "INR" } };

/** The members of the initiation that a case replaces; undefined removes a member. */
type Case = [title: string, make: Make, given: Json, code: string | null, path?: string];

const cases: Case[] = [
  [
    "P-113: FollowingServiceLevel is for SEPA only",
    usd,
    { ChargeBearer: "FollowingServiceLevel" },
    "U002",
    "ChargeBearer",
  ],
  [
    "P-113: SEPA leaves each to its own bank",
    euros,
    { ...SEPA, ChargeBearer: "BorneByDebtor" },
    "U002",
    "ChargeBearer",
  ],
  ["P-113: SEPA can share charges", euros, { ...SEPA, ChargeBearer: "Shared" }, null],
  [
    "P-113: euros whose debtor bears all go by SWIFT",
    euros,
    { ChargeBearer: "BorneByDebtor" },
    null,
  ],
  ["P-114: ChargeBearer may be left out", usd, {}, null],
  [
    "P-115: a scheme without identification names no bank",
    usd,
    agent({ SchemeName: "UK.OBIE.BICFI" }),
    "U001",
    "CreditorAgent.Identification",
  ],
  [
    "P-115: an identification without scheme names no bank",
    usd,
    agent({ Identification: "NONEUS33" }),
    "U001",
    "CreditorAgent.SchemeName",
  ],
  [
    "P-115: a name without address names no bank",
    usd,
    { ...agent({ Name: "First" }), DestinationCountryCode: "US" },
    "U001",
    "CreditorAgent.PostalAddress",
  ],
  [
    "P-115: an address without name names no bank",
    usd,
    agent({ PostalAddress: address }),
    "U001",
    "CreditorAgent.Name",
  ],
  [
    "P-115: an agent that says nothing names no bank",
    euros,
    agent({}),
    "U001",
    "CreditorAgent.Identification",
  ],
  [
    "P-115: a name and an address name a bank",
    usd,
    agent({ Name: "First", PostalAddress: address }),
    null,
  ],
  [
    "a bank is named by its BIC",
    usd,
    agent({ SchemeName: "UK.OBIE.NCC.US", Identification: "021000021" }),
    "U027",
    "CreditorAgent.SchemeName",
  ],
  ["a BIC has 8 or 11 characters", usd, bic("NONEUS3"), "U021", "CreditorAgent.Identification"],
  ["a BIC may have its branch", usd, bic("NONEUS33XXX"), null],
  [
    "an account without IBAN needs its bank",
    usd,
    { CreditorAgent: undefined, DestinationCountryCode: "US" },
    "U001",
    "CreditorAgent",
  ],
  [
    "an account number has no spaces",
    usd,
    { CreditorAccount: { SchemeName: "UK.OBIE.BBAN", Identification: "0 9", Name: "B" } },
    "U021",
    "CreditorAccount.Identification",
  ],
  [
    "a debtor's account must not be a BBAN",
    euros,
    { DebtorAccount: { SchemeName: "UK.OBIE.BBAN", Identification: "1" } },
    "U027",
    "DebtorAccount.SchemeName",
  ],
  [
    "P-083: an IBAN whose check digits are wrong",
    euros,
    toIban("DE00990099000099000001"),
    "U021",
    "CreditorAccount.Identification",
  ],
  [
    "P-083: an IBAN that is too long for its country",
    euros,
    toIban(ibanFrom("DE", "0099009900990000011")),
    "U021",
    "CreditorAccount.Identification",
  ],
  [
    "P-083: an IBAN of a country that has none",
    euros,
    toIban(ibanFrom("US", "009900990099000001")),
    "U021",
    "CreditorAccount.Identification",
  ],
  [
    "the bank is where the account is",
    euros,
    bic("NONEFRPP"),
    "U002",
    "CreditorAgent.Identification",
  ],
  ["a bank in Jersey may have an account with GB", usd, { ...inBritain, ...bic("NONEJESH") }, null],
  [
    "D-401-35: a country has two capitals",
    euros,
    { DestinationCountryCode: "GBX" },
    "U002",
    "DestinationCountryCode",
  ],
  [
    "the destination is the account's country",
    euros,
    { DestinationCountryCode: "FR" },
    "U002",
    "DestinationCountryCode",
  ],
  [
    "somebody says where the payment goes",
    usd,
    agent({ Name: "First", PostalAddress: { TownName: "New York" } }),
    "U001",
    "DestinationCountryCode",
  ],
  [
    "SEPA carries no dollars",
    usd,
    { ...SEPA, ...toIban("DE89370400440532013000"), CreditorAgent: undefined },
    "U002",
    "LocalInstrument",
  ],
  [
    "SEPA reaches its own countries",
    euros,
    { ...SEPA, ...toIban("AE070331234567890123456") },
    "U002",
    "LocalInstrument",
  ],
  [
    "what is urgent in SEPA is instant",
    euros,
    { ...SEPA, InstructionPriority: "Urgent" },
    "U005",
    "InstructionPriority",
  ],
  [
    "P-080: Target2 is not offered",
    euros,
    { LocalInstrument: "UK.OBIE.Target2" },
    "U026",
    "LocalInstrument",
  ],
  [
    "P-117: a currency that the bank does not send",
    euros,
    { CurrencyOfTransfer: "XAF" },
    "U023",
    "CurrencyOfTransfer",
  ],
  [
    "P-117: letters that are no currency",
    euros,
    { CurrencyOfTransfer: "ZZZ" },
    "U002",
    "CurrencyOfTransfer",
  ],
  [
    "P-079: an amount in a currency that the bank does not send",
    euros,
    { InstructedAmount: { Amount: "1", Currency: "XAF" } },
    "U023",
    "InstructedAmount.Currency",
  ],
  ["P-117: rupees stay in India", usd, rupees, "U023", "CurrencyOfTransfer"],
  ["P-117: rupees reach India", usd, { ...rupees, ...bic("NONEINBB") }, null],
  [
    "P-069: a rate is Actual, Agreed or Indicative",
    euros,
    { ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Spot" } },
    "U002",
    "ExchangeRateInformation.RateType",
  ],
  [
    "P-060: CurrencyOfTransfer is mandatory",
    euros,
    { CurrencyOfTransfer: undefined },
    "U004",
    "CurrencyOfTransfer",
  ],
  [
    "P-064: CreditorPostalAddress is not one of its members",
    euros,
    { CreditorPostalAddress: {} },
    "U005",
    "CreditorPostalAddress",
  ],
];

for (const [title, make, given, code, path] of cases) {
  test(title, async () => {
    const body = () => make((members) => Object.assign(members, given));
    for (const [at, sent] of [
      [consents, body()],
      [scheduledConsents, onDay(body())],
    ] as const) {
      const answer = await bank.post(at, { body: sent });
      if (code === null) {
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
        continue;
      }
      assert.equal(answer.status, 400);
      assert.deepEqual(firstFault(answer), [code, `${initiation}.${path}`]);
      assert.equal(answer.body.Errors.length, 1, JSON.stringify(answer.body));
    }
  });
}

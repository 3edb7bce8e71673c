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
    "P-113: FollowingServiceLevel is possible only with SEPA",
    usd,
    { ChargeBearer: "FollowingServiceLevel" },
    "U002",
    "ChargeBearer",
  ],
  [
    "P-113: with SEPA, each party pays its own bank's charges",
    euros,
    { ...SEPA, ChargeBearer: "BorneByDebtor" },
    "U002",
    "ChargeBearer",
  ],
  ["P-113: SEPA accepts shared charges", euros, { ...SEPA, ChargeBearer: "Shared" }, null],
  [
    "P-113: euros for which the debtor bears all charges are sent through SWIFT",
    euros,
    { ChargeBearer: "BorneByDebtor" },
    null,
  ],
  ["P-114: ChargeBearer may be left out", usd, {}, null],
  [
    "P-115: a scheme without identification does not identify a bank",
    usd,
    agent({ SchemeName: "UK.OBIE.BICFI" }),
    "U001",
    "CreditorAgent.Identification",
  ],
  [
    "P-115: an identification without scheme does not identify a bank",
    usd,
    agent({ Identification: "NONEUS33" }),
    "U001",
    "CreditorAgent.SchemeName",
  ],
  [
    "P-115: a name without address does not identify a bank",
    usd,
    { ...agent({ Name: "First" }), DestinationCountryCode: "US" },
    "U001",
    "CreditorAgent.PostalAddress",
  ],
  [
    "P-115: an address without name does not identify a bank",
    usd,
    agent({ PostalAddress: address }),
    "U001",
    "CreditorAgent.Name",
  ],
  [
    "P-115: an empty agent does not identify a bank",
    euros,
    agent({}),
    "U001",
    "CreditorAgent.Identification",
  ],
  [
    "P-115: a name and an address identify a bank",
    usd,
    agent({ Name: "First", PostalAddress: address }),
    null,
  ],
  [
    "a BIC identifies a bank",
    usd,
    agent({ SchemeName: "UK.OBIE.NCC.US", Identification: "021000021" }),
    "U027",
    "CreditorAgent.SchemeName",
  ],
  ["a BIC has 8 or 11 characters", usd, bic("NONEUS3"), "U021", "CreditorAgent.Identification"],
  ["a BIC may include a branch", usd, bic("NONEUS33XXX"), null],
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
    "P-083: an IBAN with wrong check digits is refused",
    euros,
    toIban("DE00990099000099000001"),
    "U021",
    "CreditorAccount.Identification",
  ],
  [
    "P-083: an IBAN that is too long for its country is refused",
    euros,
    toIban(ibanFrom("DE", "0099009900990000011")),
    "U021",
    "CreditorAccount.Identification",
  ],
  [
    "P-083: an IBAN of a country without IBANs is refused",
    euros,
    toIban(ibanFrom("US", "009900990099000001")),
    "U021",
    "CreditorAccount.Identification",
  ],
  [
    "the bank must be in the account's country",
    euros,
    bic("NONEFRPP"),
    "U002",
    "CreditorAgent.Identification",
  ],
  [
    "a bank in Jersey may have an account with a GB IBAN",
    usd,
    { ...inBritain, ...bic("NONEJESH") },
    null,
  ],
  [
    "D-401-35: a country code has two capital letters",
    euros,
    { DestinationCountryCode: "GBX" },
    "U002",
    "DestinationCountryCode",
  ],
  [
    "the destination must be the account's country",
    euros,
    { DestinationCountryCode: "FR" },
    "U002",
    "DestinationCountryCode",
  ],
  [
    "the request must name the country of the payee somewhere",
    usd,
    agent({ Name: "First", PostalAddress: { TownName: "New York" } }),
    "U001",
    "DestinationCountryCode",
  ],
  [
    "SEPA does not transfer dollars",
    usd,
    { ...SEPA, ...toIban("DE89370400440532013000"), CreditorAgent: undefined },
    "U002",
    "LocalInstrument",
  ],
  [
    "SEPA reaches only SEPA countries",
    euros,
    { ...SEPA, ...toIban("AE070331234567890123456") },
    "U002",
    "LocalInstrument",
  ],
  [
    "SEPA credit transfers cannot be urgent",
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
    "P-117: a currency that the bank does not send is refused",
    euros,
    { CurrencyOfTransfer: "XAF" },
    "U023",
    "CurrencyOfTransfer",
  ],
  [
    "P-117: an unknown currency is refused",
    euros,
    { CurrencyOfTransfer: "ZZZ" },
    "U002",
    "CurrencyOfTransfer",
  ],
  [
    "P-079: an amount in a currency that the bank does not send is refused",
    euros,
    { InstructedAmount: { Amount: "1", Currency: "XAF" } },
    "U023",
    "InstructedAmount.Currency",
  ],
  ["P-117: rupees can be sent only to India", usd, rupees, "U023", "CurrencyOfTransfer"],
  ["P-117: rupees can be sent to India", usd, { ...rupees, ...bic("NONEINBB") }, null],
  [
    "P-069: a RateType must be Actual, Agreed or Indicative",
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
    "P-060: without CurrencyOfTransfer, only the missing member is reported",
    euros,
    {
      CurrencyOfTransfer: undefined,
      ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" },
    },
    "U004",
    "CurrencyOfTransfer",
  ],
  [
    "P-064: CreditorPostalAddress is refused",
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

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ibanFrom } from "#src/bank/sandbox/account-numbers.ts";
import type { Json } from "../answer-check.ts";
import { firstFault, openPayments, orderOf, type PaymentsFixture } from "../fixture.ts";
import {
  consents,
  dollarConsent,
  euroConsent,
  onDay,
  orders,
  scheduledConsents,
  scheduledOrders,
} from "./abroad.ts";

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank.close());

const initiation = "Data.Initiation";
type Change = (initiation: Json) => void;
type Case = [
  title: string,
  make: (change: Change) => Json,
  change: Change,
  fault: [string, string] | null,
];

const euros = (change: Change) => euroConsent(({ Data }) => change(Data.Initiation));
const usd = (change: Change) => dollarConsent(({ Data }) => change(Data.Initiation));
const agent =
  (given: Json): Change =>
  (data) => {
    data.CreditorAgent = given;
  };
const address = { TownName: "New York", Country: "US" };

const cases: Case[] = [
  [
    "P-113: what follows a service level goes by SEPA only",
    usd,
    (i) => {
      i.ChargeBearer = "FollowingServiceLevel";
    },
    ["U002", "ChargeBearer"],
  ],
  [
    "P-113: SEPA leaves each to its own bank",
    euros,
    (i) => {
      Object.assign(i, {
        LocalInstrument: "UK.OBIE.SEPACreditTransfer",
        ChargeBearer: "BorneByDebtor",
      });
    },
    ["U002", "ChargeBearer"],
  ],
  [
    "P-113: SEPA can share charges",
    euros,
    (i) => {
      Object.assign(i, { LocalInstrument: "UK.OBIE.SEPACreditTransfer", ChargeBearer: "Shared" });
    },
    null,
  ],
  [
    "P-113: euros whose debtor bears all go by SWIFT",
    euros,
    (i) => {
      i.ChargeBearer = "BorneByDebtor";
    },
    null,
  ],
  ["P-114: no ChargeBearer is no fault", usd, () => undefined, null],
  [
    "P-115: a scheme without identification names no bank",
    usd,
    agent({ SchemeName: "UK.OBIE.BICFI" }),
    ["U001", "CreditorAgent.Identification"],
  ],
  [
    "P-115: an identification without scheme names no bank",
    usd,
    agent({ Identification: "NONEUS33" }),
    ["U001", "CreditorAgent.SchemeName"],
  ],
  [
    "P-115: a name without address names no bank",
    usd,
    (i) => {
      i.CreditorAgent = { Name: "First Bank" };
      i.DestinationCountryCode = "US";
    },
    ["U001", "CreditorAgent.PostalAddress"],
  ],
  [
    "P-115: an address without name names no bank",
    usd,
    agent({ PostalAddress: address }),
    ["U001", "CreditorAgent.Name"],
  ],
  [
    "P-115: an agent that says nothing names no bank",
    euros,
    agent({}),
    ["U001", "CreditorAgent.Identification"],
  ],
  [
    "P-115: a name and an address name a bank",
    usd,
    agent({ Name: "First Bank", PostalAddress: address }),
    null,
  ],
  [
    "a bank is named by its BIC",
    usd,
    agent({ SchemeName: "UK.OBIE.NCC.US", Identification: "021000021" }),
    ["U027", "CreditorAgent.SchemeName"],
  ],
  [
    "a BIC has 8 or 11 characters",
    usd,
    agent({ SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS3" }),
    ["U021", "CreditorAgent.Identification"],
  ],
  [
    "a BIC may have its branch",
    usd,
    agent({ SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33XXX" }),
    null,
  ],
  [
    "an account without IBAN needs its bank",
    usd,
    (i) => {
      delete i.CreditorAgent;
      i.DestinationCountryCode = "US";
    },
    ["U001", "CreditorAgent"],
  ],
  [
    "an account number has no spaces",
    usd,
    (i) => {
      i.CreditorAccount.Identification = "0000 9900";
    },
    ["U021", "CreditorAccount.Identification"],
  ],
  [
    "a debtor's account is no BBAN",
    euros,
    (i) => {
      i.DebtorAccount = { SchemeName: "UK.OBIE.BBAN", Identification: "1" };
    },
    ["U027", "DebtorAccount.SchemeName"],
  ],
  [
    "P-083: an IBAN whose check digits are wrong",
    euros,
    (i) => {
      i.CreditorAccount.Identification = "DE00990099000099000001";
    },
    ["U021", "CreditorAccount.Identification"],
  ],
  [
    "P-083: an IBAN that is too long for its country",
    euros,
    (i) => {
      i.CreditorAccount.Identification = ibanFrom("DE", "0099009900990000011");
    },
    ["U021", "CreditorAccount.Identification"],
  ],
  [
    "P-083: an IBAN of a country that has none",
    euros,
    (i) => {
      i.CreditorAccount.Identification = ibanFrom("US", "009900990099000001");
    },
    ["U021", "CreditorAccount.Identification"],
  ],
  [
    "the bank is where the account is",
    euros,
    agent({ SchemeName: "UK.OBIE.BICFI", Identification: "NONEFRPP" }),
    ["U002", "CreditorAgent.Identification"],
  ],
  [
    "a bank in Jersey may have an account with GB",
    (change) =>
      usd((i) => {
        i.CreditorAccount = {
          SchemeName: "UK.OBIE.SortCodeAccountNumber",
          Identification: "20201010981789",
          Name: "J",
        };
        change(i);
      }),
    agent({ SchemeName: "UK.OBIE.BICFI", Identification: "NONEJESH" }),
    null,
  ],
  [
    "D-401-35: a country has two capitals",
    euros,
    (i) => {
      i.DestinationCountryCode = "GBX";
    },
    ["U002", "DestinationCountryCode"],
  ],
  [
    "the destination is the account's country",
    euros,
    (i) => {
      i.DestinationCountryCode = "FR";
    },
    ["U002", "DestinationCountryCode"],
  ],
  [
    "somebody says where the payment goes",
    usd,
    agent({ Name: "First Bank", PostalAddress: { TownName: "New York" } }),
    ["U001", "DestinationCountryCode"],
  ],
  [
    "SEPA carries no dollars",
    (change) =>
      usd((i) => {
        i.CreditorAccount = euroConsent().Data.Initiation.CreditorAccount;
        delete i.CreditorAgent;
        change(i);
      }),
    (i) => {
      i.LocalInstrument = "UK.OBIE.SEPACreditTransfer";
    },
    ["U002", "LocalInstrument"],
  ],
  [
    "SEPA reaches its own countries",
    euros,
    (i) => {
      i.LocalInstrument = "UK.OBIE.SEPACreditTransfer";
      i.CreditorAccount.Identification = "AE070331234567890123456";
    },
    ["U002", "LocalInstrument"],
  ],
  [
    "what is urgent in SEPA is instant",
    euros,
    (i) => {
      Object.assign(i, {
        LocalInstrument: "UK.OBIE.SEPACreditTransfer",
        InstructionPriority: "Urgent",
      });
    },
    ["U005", "InstructionPriority"],
  ],
  [
    "P-080: Target2 is not offered",
    euros,
    (i) => {
      i.LocalInstrument = "UK.OBIE.Target2";
    },
    ["U026", "LocalInstrument"],
  ],
  [
    "P-117: a currency that the bank does not send",
    euros,
    (i) => {
      i.CurrencyOfTransfer = "XAF";
      i.InstructedAmount.Currency = "EUR";
    },
    ["U023", "CurrencyOfTransfer"],
  ],
  [
    "P-117: letters that are no currency",
    euros,
    (i) => {
      i.CurrencyOfTransfer = "ZZZ";
    },
    ["U002", "CurrencyOfTransfer"],
  ],
  [
    "P-079: an amount in a currency that the bank does not send",
    euros,
    (i) => {
      i.InstructedAmount.Currency = "XAF";
    },
    ["U023", "InstructedAmount.Currency"],
  ],
  [
    "P-117: rupees stay in India",
    usd,
    (i) => {
      i.CurrencyOfTransfer = "INR";
      i.InstructedAmount.Currency = "INR";
    },
    ["U023", "CurrencyOfTransfer"],
  ],
  [
    "P-117: rupees reach India",
    usd,
    (i) => {
      i.CurrencyOfTransfer = "INR";
      i.InstructedAmount.Currency = "INR";
      i.CreditorAgent.Identification = "NONEINBB";
    },
    null,
  ],
  [
    "P-069: a rate is Actual, Agreed or Indicative",
    euros,
    (i) => {
      i.ExchangeRateInformation = { UnitCurrency: "GBP", RateType: "Spot" };
    },
    ["U002", "ExchangeRateInformation.RateType"],
  ],
  [
    "P-060: CurrencyOfTransfer is mandatory",
    euros,
    (i) => {
      delete i.CurrencyOfTransfer;
    },
    ["U004", "CurrencyOfTransfer"],
  ],
  [
    "P-064: CreditorPostalAddress is no member of it",
    euros,
    (i) => {
      i.CreditorPostalAddress = {};
    },
    ["U005", "CreditorPostalAddress"],
  ],
];

for (const [title, make, change, fault] of cases) {
  test(title, async () => {
    for (const [path, body] of [
      [consents, make(change)],
      [scheduledConsents, onDay(make(change))],
    ] as const) {
      const answer = await bank.post(path, { body });
      if (fault === null) {
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
        continue;
      }
      assert.equal(answer.status, 400);
      assert.deepEqual(firstFault(answer), [fault[0], `${initiation}.${fault[1]}`]);
      assert.equal(answer.body.Errors.length, 1, JSON.stringify(answer.body));
    }
  });
}

test("P-110, P-111, P-112: Permission is of the scheduled kind alone", async () => {
  const once = await bank.post(consents, { body: onDay(euroConsent()) });
  assert.deepEqual(
    once.body.Errors.map(({ ErrorCode, Path }: Json) => [ErrorCode, Path]),
    [
      ["U005", "Data.Initiation.RequestedExecutionDateTime"],
      ["U005", "Data.Permission"],
    ],
  );
  const without = onDay(euroConsent(), ({ Data }) => delete Data.Permission);
  const answer = await bank.post(scheduledConsents, { body: without });
  assert.deepEqual(firstFault(answer), ["U004", "Data.Permission"]);
  const other = onDay(euroConsent(), ({ Data }) => {
    Data.Permission = "Update";
  });
  assert.deepEqual(firstFault(await bank.post(scheduledConsents, { body: other })), [
    "U002",
    "Data.Permission",
  ]);
});

test("P-131, P-133: an international payment on a day is for a day after today", async () => {
  const dated = (RequestedExecutionDateTime: string) =>
    onDay(euroConsent(), ({ Data }) => {
      Data.Initiation.RequestedExecutionDateTime = RequestedExecutionDateTime;
    });
  for (const day of ["2027-03-01T00:00:00Z", "2027-03-02T23:00:00Z", "2028-03-04T00:00:00Z"]) {
    const answer = await bank.post(scheduledConsents, { body: dated(day) });
    assert.deepEqual(firstFault(answer), ["U003", `${initiation}.RequestedExecutionDateTime`], day);
  }
  assert.equal(
    (await bank.post(scheduledConsents, { body: dated("2027-03-03T00:00:00Z") })).status,
    201,
  );
});

test("P-095, P-096, P-097: a consent answers with exactly what was sent", async () => {
  const body = dollarConsent(({ Data, Risk }) => {
    Object.assign(Data.Initiation, {
      InstructionPriority: "Urgent",
      ExtendedPurpose: "Consulting",
      ChargeBearer: "Shared",
      DestinationCountryCode: "US",
      Creditor: { Name: "Bright Harbor", PostalAddress: address },
      ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
    });
    Data.Authorisation = { AuthorisationType: "Any" };
    Data.ReadRefundAccount = "Yes";
    Risk.PaymentContextCode = "TransferToThirdParty";
  });
  const { status, body: answer } = await bank.post(consents, { body });
  assert.equal(status, 201);
  const { Initiation, Authorisation, ReadRefundAccount, ConsentId, Status } = answer.Data;
  assert.deepEqual({ Initiation, Authorisation, ReadRefundAccount }, body.Data);
  assert.deepEqual([answer.Risk, Status], [body.Risk, "AWAU"]);
  assert.equal(
    answer.Links.Self,
    `http://bank.test/api/open-banking/v4.0/pisp${consents}/${ConsentId}`,
  );
  assert.deepEqual((await bank.get(`${consents}/${ConsentId}`)).body, answer);
});

test("D-401-36: a creditor's name of 350 characters survives consent and order", async () => {
  const body = euroConsent(({ Data }) => {
    Data.Initiation.Creditor = { Name: "n".repeat(350) };
  });
  const { token, consentId } = await bank.authorised({ body, path: consents });
  const answer = await bank.post(orders, { token, body: orderOf(consentId, body) });
  assert.equal(answer.body.Data.Initiation.Creditor.Name.length, 350);
  const long = euroConsent(({ Data }) => {
    Data.Initiation.Creditor = { Name: "n".repeat(351) };
  });
  assert.deepEqual(firstFault(await bank.post(consents, { body: long })), [
    "U002",
    "Data.Initiation.Creditor.Name",
  ]);
});

test("D-401-25: Multiple is taken and repeated, and refused where the schema is all", async () => {
  const body = euroConsent(({ Data }) => {
    Data.Authorisation = { AuthorisationType: "Multiple" };
  });
  const { status, body: answer } = await bank.post(consents, { body });
  assert.deepEqual([status, answer.Data.Authorisation], [201, { AuthorisationType: "Multiple" }]);
  const strict = await bank.configured({ STRICT_OAS: true });
  assert.deepEqual(firstFault(await strict.post(consents, { body })), [
    "U002",
    "Data.Authorisation.AuthorisationType",
  ]);
});

test("P-152, P-156: an order repeats the initiation, and every number of it", async () => {
  const body = onDay(
    euroConsent(({ Data }) => {
      Data.Initiation.ExchangeRateInformation = { UnitCurrency: "GBP", RateType: "Indicative" };
    }),
  );
  const { token, consentId } = await bank.authorised({ body, path: scheduledConsents });
  const send = (change: Change) => {
    const order = orderOf(consentId, body);
    change(order.Data.Initiation);
    return bank.post(scheduledOrders, { token, body: order });
  };
  const changes: [string, Change][] = [
    [
      "CurrencyOfTransfer",
      (i) => {
        i.CurrencyOfTransfer = "USD";
      },
    ],
    [
      "ExchangeRateInformation.RateType",
      (i) => {
        i.ExchangeRateInformation.RateType = "Actual";
      },
    ],
    [
      "ChargeBearer",
      (i) => {
        i.ChargeBearer = "Shared";
      },
    ],
  ];
  for (const [member, change] of changes) {
    assert.deepEqual(firstFault(await send(change)), ["U008", `${initiation}.${member}`]);
  }
  const answer = await send((i) => {
    i.RequestedExecutionDateTime = "2027-03-10T00:00Z";
  });
  assert.equal(answer.status, 201);
});

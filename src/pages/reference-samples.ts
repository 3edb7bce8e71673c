import { createHash } from "node:crypto";

// A body to start from for each operation that takes one: valid as it is, but for the ids that an
// earlier call gives. An order repeats its consent, so both are made of the same parts.

const initiation = {
  InstructionIdentification: "ALDGATE-1",
  EndToEndIdentification: "INVOICE-20418",
  InstructedAmount: { Amount: "10.00", Currency: "GBP" },
  CreditorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "08080021325698",
    Name: "Hawthorne Joinery Ltd",
  },
  RemittanceInformation: { Unstructured: ["Invoice 20418"] },
};

const standingOrder = {
  MandateRelatedInformation: {
    Frequency: { Type: "MNTH", PointInTime: "-1" },
  },
  NumberOfPayments: "12",
  FirstPaymentAmount: initiation.InstructedAmount,
  CreditorAccount: initiation.CreditorAccount,
  RemittanceInformation: initiation.RemittanceInformation,
};

const abroad = {
  CurrencyOfTransfer: "EUR",
  InstructedAmount: { Amount: "100.00", Currency: "EUR" },
  CreditorAccount: {
    SchemeName: "UK.OBIE.IBAN",
    Identification: "DE75512108001245126199",
    Name: "Kaffeerösterei Lindenau",
  },
};

const international = {
  ...initiation,
  ...abroad,
  ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
};

const internationalStandingOrder = {
  MandateRelatedInformation: standingOrder.MandateRelatedInformation,
  NumberOfPayments: "12",
  ...abroad,
};

const file = {
  Data: {
    DomesticPayments: [
      initiation,
      {
        ...initiation,
        InstructionIdentification: "ALDGATE-2",
        EndToEndIdentification: "INVOICE-20419",
      },
    ],
  },
};

// of the bytes that are sent when the sample is left as it is
const fileInitiation = {
  FileType: "UK.OBIE.PaymentInitiation.4.0",
  FileHash: createHash("sha256").update(JSON.stringify(file)).digest("base64"),
  NumberOfTransactions: "2",
  ControlSum: 20,
};

const Risk = { PaymentContextCode: "TransferToThirdParty" };

/** The sample bodies, by operation id; what is for a later day is for thirty days after `today`. */
export function referenceSamples(today: Temporal.PlainDate): Readonly<Record<string, object>> {
  return { ...samples, ...samplesOfLaterDay(today.add({ days: 30 })) };
}

const samples: Readonly<Record<string, object>> = {
  CreateAccountAccessConsents: {
    Data: {
      Permissions: [
        "ReadAccountsDetail",
        "ReadBalances",
        "ReadTransactionsCredits",
        "ReadTransactionsDebits",
        "ReadTransactionsDetail",
      ],
    },
    Risk: {},
  },
  CreateDomesticPaymentConsents: { Data: { Initiation: initiation }, Risk },
  CreateDomesticPayments: { Data: { ConsentId: "", Initiation: initiation }, Risk },
  CreateDomesticStandingOrderConsents: {
    Data: { Permission: "Create", Initiation: standingOrder },
    Risk,
  },
  CreateDomesticStandingOrders: { Data: { ConsentId: "", Initiation: standingOrder }, Risk },
  CreateInternationalPaymentConsents: { Data: { Initiation: international }, Risk },
  CreateInternationalPayments: { Data: { ConsentId: "", Initiation: international }, Risk },
  CreateInternationalStandingOrderConsents: {
    Data: { Permission: "Create", Initiation: internationalStandingOrder },
    Risk,
  },
  CreateInternationalStandingOrders: {
    Data: { ConsentId: "", Initiation: internationalStandingOrder },
    Risk,
  },
  CreateFilePaymentConsents: { Data: { Initiation: fileInitiation } },
  CreateFilePaymentConsentsConsentIdFile: file,
  CreateFilePayments: { Data: { ConsentId: "", Initiation: fileInitiation } },
};

function samplesOfLaterDay(day: Temporal.PlainDate): Record<string, object> {
  const later = { RequestedExecutionDateTime: `${day}T10:00:00+00:00` };
  const domestic = { ...initiation, ...later };
  const overseas = { ...international, ...later };
  return {
    CreateDomesticScheduledPaymentConsents: {
      Data: { Permission: "Create", Initiation: domestic },
      Risk,
    },
    CreateDomesticScheduledPayments: { Data: { ConsentId: "", Initiation: domestic }, Risk },
    CreateInternationalScheduledPaymentConsents: {
      Data: { Permission: "Create", Initiation: overseas },
      Risk,
    },
    CreateInternationalScheduledPayments: { Data: { ConsentId: "", Initiation: overseas }, Risk },
  };
}

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

const scheduled = { ...initiation, RequestedExecutionDateTime: "2028-01-31T10:00:00+00:00" };

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

const internationalScheduled = {
  ...international,
  RequestedExecutionDateTime: scheduled.RequestedExecutionDateTime,
};

const internationalStandingOrder = {
  MandateRelatedInformation: standingOrder.MandateRelatedInformation,
  NumberOfPayments: "12",
  ...abroad,
};

const Risk = { PaymentContextCode: "TransferToThirdParty" };

/** The sample bodies, by operation id. */
export const referenceSamples: Readonly<Record<string, object>> = {
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
  CreateDomesticScheduledPaymentConsents: {
    Data: { Permission: "Create", Initiation: scheduled },
    Risk,
  },
  CreateDomesticScheduledPayments: { Data: { ConsentId: "", Initiation: scheduled }, Risk },
  CreateDomesticStandingOrderConsents: {
    Data: { Permission: "Create", Initiation: standingOrder },
    Risk,
  },
  CreateDomesticStandingOrders: { Data: { ConsentId: "", Initiation: standingOrder }, Risk },
  CreateInternationalPaymentConsents: { Data: { Initiation: international }, Risk },
  CreateInternationalPayments: { Data: { ConsentId: "", Initiation: international }, Risk },
  CreateInternationalScheduledPaymentConsents: {
    Data: { Permission: "Create", Initiation: internationalScheduled },
    Risk,
  },
  CreateInternationalScheduledPayments: {
    Data: { ConsentId: "", Initiation: internationalScheduled },
    Risk,
  },
  CreateInternationalStandingOrderConsents: {
    Data: { Permission: "Create", Initiation: internationalStandingOrder },
    Risk,
  },
  CreateInternationalStandingOrders: {
    Data: { ConsentId: "", Initiation: internationalStandingOrder },
    Risk,
  },
};

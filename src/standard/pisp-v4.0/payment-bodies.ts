import Type from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { localInstrument } from "#src/standard/shared/payments/initiation.ts";
import {
  cancellableStatuses,
  everyStatus,
  fileStatuses,
  immediateStatuses,
} from "#src/standard/shared/payments/statuses.ts";
import { closed, dateTime, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { initiation, initiationFields } from "./initiation.ts";
import { fileSchemas, kindSchemas } from "./kind-schemas.ts";

/** The bodies of a domestic payment. Source: OBWriteDomestic2. */
export const domesticPayment = kindSchemas("domesticPayment", {
  initiation: initiation({
    InstructionIdentification: "M",
    EndToEndIdentification: "M",
    LocalInstrument: "x",
    InstructedAmount: "M",
    DebtorAccount: "x",
    CreditorAgent: "x",
    CreditorAccount: "M",
    CreditorPostalAddress: "x",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: immediateStatuses,
});

/** The bodies of a domestic scheduled payment. Source: OBWriteDomesticScheduled2. */
export const domesticScheduledPayment = kindSchemas("domesticScheduledPayment", {
  initiation: initiation({
    InstructionIdentification: "M",
    EndToEndIdentification: "x",
    LocalInstrument: "x",
    RequestedExecutionDateTime: "M",
    InstructedAmount: "M",
    DebtorAccount: "x",
    CreditorAccount: "M",
    CreditorPostalAddress: "x",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: cancellableStatuses,
});

/** The bodies of a domestic standing order. Source: OBWriteDomesticStandingOrder3. */
export const domesticStandingOrder = kindSchemas("domesticStandingOrder", {
  initiation: initiation({
    MandateRelatedInformation: "M",
    NumberOfPayments: "x",
    FirstPaymentAmount: "M",
    RecurringPaymentAmount: "x",
    FinalPaymentAmount: "x",
    DebtorAccount: "x",
    CreditorAccount: "M",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: everyStatus,
});

/** The bodies of an international payment. Source: OBWriteInternational3. */
export const internationalPayment = kindSchemas("internationalPayment", {
  initiation: initiation({
    InstructionIdentification: "M",
    EndToEndIdentification: "M",
    LocalInstrument: "x",
    InstructionPriority: "x",
    ExtendedPurpose: "x",
    ChargeBearer: "x",
    CurrencyOfTransfer: "M",
    DestinationCountryCode: "x",
    InstructedAmount: "M",
    ExchangeRateInformation: "x",
    DebtorAccount: "x",
    Creditor: "x",
    CreditorAgent: "x",
    CreditorAccount: "M",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: immediateStatuses,
});

/** The bodies of an international scheduled payment. Source: OBWriteInternationalScheduled3. */
export const internationalScheduledPayment = kindSchemas("internationalScheduledPayment", {
  initiation: initiation({
    InstructionIdentification: "M",
    EndToEndIdentification: "x",
    LocalInstrument: "x",
    InstructionPriority: "x",
    ExtendedPurpose: "x",
    ChargeBearer: "x",
    RequestedExecutionDateTime: "M",
    CurrencyOfTransfer: "M",
    DestinationCountryCode: "x",
    InstructedAmount: "M",
    ExchangeRateInformation: "x",
    DebtorAccount: "x",
    Creditor: "x",
    CreditorAgent: "x",
    CreditorAccount: "M",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: cancellableStatuses,
});

/** The bodies of an international standing order. Source: OBWriteInternationalStandingOrder4. */
export const internationalStandingOrder = kindSchemas("internationalStandingOrder", {
  initiation: initiation({
    MandateRelatedInformation: "M",
    NumberOfPayments: "x",
    ExtendedPurpose: "x",
    ChargeBearer: "x",
    CurrencyOfTransfer: "M",
    DestinationCountryCode: "x",
    InstructedAmount: "M",
    DebtorAccount: "x",
    Creditor: "x",
    CreditorAgent: "x",
    CreditorAccount: "M",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: everyStatus,
});

const {
  RequestedExecutionDateTime,
  LocalInstrument,
  DebtorAccount,
  CreditorAgent,
  UltimateDebtor,
  RemittanceInformation,
  SupplementaryData,
} = initiationFields;

const fileInitiation = closed({
  FileType: namespaced(["UK.OBIE.PaymentInitiation.4.0", "UK.OBIE.pain.001.001.08"]),
  FileHash: text(44),
  FileReference: Type.Optional(text(40)),
  NumberOfTransactions: Type.Optional(Type.String({ pattern: "[0-9]{1,15}" })),
  ControlSum: Type.Optional(Type.Number()),
  RequestedExecutionDateTime: Type.Optional(RequestedExecutionDateTime),
  LocalInstrument: Type.Optional(LocalInstrument),
  DebtorAccount: Type.Optional(DebtorAccount),
  CreditorAgent: Type.Optional(CreditorAgent),
  UltimateDebtor: Type.Optional(UltimateDebtor),
  RemittanceInformation: Type.Optional(RemittanceInformation),
  SupplementaryData: Type.Optional(SupplementaryData),
});

/** The bodies of a file payment. Source: OBWriteFileConsent3, OBWriteFile2. */
export const filePayment = fileSchemas({ initiation: fileInitiation, statuses: fileStatuses });

const paymentStatus = open(
  {
    PaymentTransactionId: text(210),
    Status: oneOf(everyStatus),
    StatusUpdateDateTime: dateTime(),
    // an object, where the pages of the standard speak of an array. Source: D-401-27, P-182
    StatusDetail: Type.Optional(
      open({
        LocalInstrument: Type.Optional(localInstrument),
        Status: oneOf(everyStatus),
        StatusReason: Type.Optional(text(4)),
        StatusReasonDescription: Type.Optional(text(256)),
      }),
    ),
  },
  { title: "OBWritePaymentDetails1" },
);

/**
 * The status of each payment of an order, for every kind. Source: PISP profile,
 * OBWritePaymentDetailsResponse1.
 */
export const paymentDetailsResponse = open(
  { Data: closed({ PaymentStatus: Type.Optional(Type.Array(paymentStatus)) }), ...envelope },
  { title: "OBWritePaymentDetailsResponse1" },
);

import Type from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { localInstrument } from "#src/standard/shared/payments/initiation.ts";
import {
  cancellableStatuses,
  everyStatus,
  fileStatuses,
  immediateStatuses,
} from "#src/standard/shared/payments/statuses.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { initiation } from "./initiation.ts";
import { fileSchemas, kindSchemas } from "./kind-schemas.ts";

const abroad =
  "ExtendedPurpose ChargeBearer CurrencyOfTransfer* DestinationCountryCode InstructedAmount*";
const toCreditor = "DebtorAccount Creditor CreditorAgent CreditorAccount*";
const last =
  "UltimateCreditor UltimateDebtor RegulatoryReporting RemittanceInformation SupplementaryData";
const instructed = "InstructionIdentification* LocalInstrument";
const domestic = `${instructed} InstructedAmount* DebtorAccount CreditorAccount* CreditorPostalAddress`;
const international = `${instructed} InstructionPriority ${abroad} ExchangeRateInformation ${toCreditor}`;
const atOnce = "EndToEndIdentification*";
const onDay = "EndToEndIdentification RequestedExecutionDateTime*";
const mandate = "MandateRelatedInformation* NumberOfPayments";

/** The bodies of a domestic payment. Source: OBWriteDomestic2. */
export const domesticPayment = kindSchemas("domesticPayment", {
  initiation: initiation(`${domestic} ${atOnce} CreditorAgent ${last}`),
  statuses: immediateStatuses,
});

/** The bodies of a domestic scheduled payment. Source: OBWriteDomesticScheduled2. */
export const domesticScheduledPayment = kindSchemas("domesticScheduledPayment", {
  initiation: initiation(`${domestic} ${onDay} ${last}`),
  statuses: cancellableStatuses,
});

/** The bodies of a domestic standing order. Source: OBWriteDomesticStandingOrder3. */
export const domesticStandingOrder = kindSchemas("domesticStandingOrder", {
  initiation: initiation(
    `${mandate} FirstPaymentAmount* RecurringPaymentAmount FinalPaymentAmount ` +
      `DebtorAccount CreditorAccount* ${last}`,
  ),
  statuses: everyStatus,
});

/** The bodies of an international payment. Source: OBWriteInternational3. */
export const internationalPayment = kindSchemas("internationalPayment", {
  initiation: initiation(`${international} ${atOnce} ${last}`),
  statuses: immediateStatuses,
});

/** The bodies of an international scheduled payment. Source: OBWriteInternationalScheduled3. */
export const internationalScheduledPayment = kindSchemas("internationalScheduledPayment", {
  initiation: initiation(`${international} ${onDay} ${last}`),
  statuses: cancellableStatuses,
});

/** The bodies of an international standing order. Source: OBWriteInternationalStandingOrder4. */
export const internationalStandingOrder = kindSchemas("internationalStandingOrder", {
  initiation: initiation(`${mandate} ${abroad} ${toCreditor} ${last}`),
  statuses: everyStatus,
});

/** The bodies of a file payment. Source: OBWriteFileConsent3, OBWriteFile2. */
export const filePayment = fileSchemas({
  initiation: initiation(
    "FileType* FileHash* FileReference NumberOfTransactions ControlSum RequestedExecutionDateTime " +
      "LocalInstrument DebtorAccount CreditorAgent UltimateDebtor RemittanceInformation " +
      "SupplementaryData",
  ),
  statuses: fileStatuses,
});

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

import Type, { type TProperties } from "typebox";
import { closedAmount, currencyCode } from "#src/standard/shared/amount.ts";
import { chargeBearer } from "#src/standard/shared/payments/charges.ts";
import { exchangeRateRequest } from "#src/standard/shared/payments/exchange-rate-information.ts";
import {
  initiationsOf,
  localInstrument,
  supplementaryData,
} from "#src/standard/shared/payments/initiation.ts";
import { dateTime, namespaced, oneOf, text } from "#src/standard/shared/schema.ts";
import { v3FrequencyPattern } from "#src/standard/shared/v4/frequency.ts";
import {
  creditor,
  creditorAccount,
  creditorAgent,
  debtorAccount,
  postalAddress,
} from "./parties.ts";
import { closedRemittanceInformation } from "./remittance-information.ts";

/**
 * How often a standing order pays, such as `IntrvlMnthDay:01:03`. A new order must have a known
 * frequency. Source: OBWriteDomesticStandingOrder3: v3.1.11.
 */
const frequency = Type.String({ pattern: v3FrequencyPattern.replace("^(NotKnown)$|", "") });

/** The types of files that a consent may announce. */
export const fileTypes = ["UK.OBIE.PaymentInitiation.3.1", "UK.OBIE.pain.001.001.08"];

/** Every member that an initiation of some kind has. Source: OBWriteDomestic2: v3.1.11. */
const fields = {
  InstructionIdentification: text(35),
  EndToEndIdentification: text(35),
  LocalInstrument: localInstrument,
  InstructionPriority: oneOf(["Normal", "Urgent"]),
  Purpose: text(4),
  ExtendedPurpose: text(140),
  ChargeBearer: chargeBearer,
  RequestedExecutionDateTime: dateTime(),
  CurrencyOfTransfer: currencyCode,
  // published without anchors
  DestinationCountryCode: Type.String({ pattern: "[A-Z]{2,2}" }),
  InstructedAmount: closedAmount,
  ExchangeRateInformation: exchangeRateRequest,
  Frequency: frequency,
  Reference: text(35),
  NumberOfPayments: text(35),
  FirstPaymentDateTime: dateTime(),
  RecurringPaymentDateTime: dateTime(),
  FinalPaymentDateTime: dateTime(),
  FirstPaymentAmount: closedAmount,
  RecurringPaymentAmount: closedAmount,
  FinalPaymentAmount: closedAmount,
  FileType: namespaced(fileTypes),
  FileHash: text(44),
  FileReference: text(40),
  NumberOfTransactions: Type.String({ pattern: "[0-9]{1,15}" }),
  ControlSum: Type.Number(),
  DebtorAccount: debtorAccount,
  Creditor: creditor(140),
  CreditorAgent: creditorAgent,
  CreditorAccount: creditorAccount,
  CreditorPostalAddress: postalAddress,
  RemittanceInformation: closedRemittanceInformation,
  SupplementaryData: supplementaryData,
} satisfies TProperties;

const initiation = initiationsOf(fields);

const purpose = "Purpose ExtendedPurpose ChargeBearer";
const abroad = "CurrencyOfTransfer* DestinationCountryCode InstructedAmount*";
const payee = "Creditor CreditorAgent CreditorAccount*";
const instructed = "InstructionIdentification* LocalInstrument";
const last = "DebtorAccount SupplementaryData";
const remitted = `RemittanceInformation ${last}`;
const schedule = "Frequency* Reference NumberOfPayments FirstPaymentDateTime* FinalPaymentDateTime";
const domestic = `${instructed} InstructedAmount* CreditorAccount* CreditorPostalAddress ${remitted}`;
const international = `${instructed} InstructionPriority ${purpose} ${abroad} \
ExchangeRateInformation ${payee} ${remitted}`;

/**
 * `Initiation` of each kind. Source: OBWriteDomestic2: v3.1.11, OBWriteFile2: v3.1.11,
 * OBWriteInternational3: v3.1.11.
 */
export const initiations = {
  domesticPayment: initiation(`${domestic} EndToEndIdentification*`),
  domesticScheduledPayment: initiation(
    `${domestic} EndToEndIdentification RequestedExecutionDateTime*`,
  ),
  domesticStandingOrder: initiation(
    `${schedule} RecurringPaymentDateTime FirstPaymentAmount* RecurringPaymentAmount ` +
      `FinalPaymentAmount CreditorAccount* ${last}`,
  ),
  internationalPayment: initiation(`${international} EndToEndIdentification*`),
  internationalScheduledPayment: initiation(
    `${international} EndToEndIdentification RequestedExecutionDateTime*`,
  ),
  internationalStandingOrder: initiation(`${schedule} ${purpose} ${abroad} ${payee} ${last}`, {
    Creditor: creditor(350),
  }),
  filePayment: initiation(
    "FileType* FileHash* FileReference NumberOfTransactions ControlSum " +
      `RequestedExecutionDateTime LocalInstrument ${remitted}`,
  ),
};

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
import { numberOfPayments } from "#src/standard/shared/v4/frequency.ts";
import { mandateRelatedInformation } from "#src/standard/shared/v4/mandate-related-information.ts";
import {
  countryCode,
  closedPostalAddress as postalAddress,
} from "#src/standard/shared/v4/parties.ts";
import {
  creditor,
  creditorAccount,
  creditorAgent,
  debtorAccount,
  ultimateCreditor,
  ultimateDebtor,
} from "./parties.ts";
import { regulatoryReporting } from "./regulatory-reporting.ts";
import { remittanceInformation } from "./remittance-information.ts";

/**
 * Every member that an initiation of some kind has. Source: OBWriteDomestic2,
 * OBWriteInternational3.
 */
const fields = {
  InstructionIdentification: text(35),
  EndToEndIdentification: text(35),
  LocalInstrument: localInstrument,
  InstructionPriority: oneOf(["Normal", "Urgent"]),
  ExtendedPurpose: text(140),
  ChargeBearer: chargeBearer,
  RequestedExecutionDateTime: dateTime(),
  CurrencyOfTransfer: currencyCode,
  DestinationCountryCode: countryCode,
  InstructedAmount: closedAmount,
  ExchangeRateInformation: exchangeRateRequest,
  MandateRelatedInformation: mandateRelatedInformation,
  NumberOfPayments: numberOfPayments,
  FirstPaymentAmount: closedAmount,
  RecurringPaymentAmount: closedAmount,
  FinalPaymentAmount: closedAmount,
  FileType: namespaced(["UK.OBIE.PaymentInitiation.4.0", "UK.OBIE.pain.001.001.08"]),
  FileHash: text(44),
  FileReference: text(40),
  NumberOfTransactions: Type.String({ pattern: "[0-9]{1,15}" }),
  ControlSum: Type.Number(),
  DebtorAccount: debtorAccount,
  Creditor: creditor,
  CreditorAgent: creditorAgent,
  CreditorAccount: creditorAccount,
  CreditorPostalAddress: postalAddress,
  UltimateCreditor: ultimateCreditor,
  UltimateDebtor: ultimateDebtor,
  RegulatoryReporting: regulatoryReporting,
  RemittanceInformation: remittanceInformation,
  SupplementaryData: supplementaryData,
} satisfies TProperties;

/** Makes the schema of an initiation from the names of its members. */
export const initiation = initiationsOf(fields);

import Type, { type TObject, type TOptional, type TProperties } from "typebox";
import { closedAmount, currencyCode } from "#src/standard/shared/amount.ts";
import { chargeBearer } from "#src/standard/shared/payments/charges.ts";
import { exchangeRateRequest } from "#src/standard/shared/payments/exchange-rate-information.ts";
import { localInstrument, supplementaryData } from "#src/standard/shared/payments/initiation.ts";
import { closed, dateTime, oneOf, text } from "#src/standard/shared/schema.ts";
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
export const initiationFields = {
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
} as const satisfies TProperties;

type Fields = typeof initiationFields;

/** A kind's column of the field matrix: `M` mandatory, `x` allowed; any other member is refused. */
type InitiationColumn = { readonly [Field in keyof Fields]?: "M" | "x" };

/** The members of an initiation with that column. */
type InitiationProperties<Column extends InitiationColumn> = {
  [Field in keyof Column & keyof Fields]: Column[Field] extends "M"
    ? Fields[Field]
    : TOptional<Fields[Field]>;
};

/** The schema of a kind's initiation. */
export function initiation<const Column extends InitiationColumn>(
  column: Column,
): TObject<InitiationProperties<Column>> {
  const properties = Object.entries(initiationFields).flatMap(([field, schema]) => {
    const need = column[field as keyof Fields];
    if (need === undefined) return [];
    return [[field, need === "M" ? schema : Type.Optional(schema)] as const];
  });
  // safe: the loop does for each value what the type says
  return closed(Object.fromEntries(properties)) as TObject<InitiationProperties<Column>>;
}

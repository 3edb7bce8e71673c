import Type from "typebox";
import { closedAmount } from "#src/standard/shared/amount.ts";
import { localInstrument, supplementaryData } from "#src/standard/shared/payments/initiation.ts";
import { closed, dateTime, text } from "#src/standard/shared/schema.ts";
import { accountScheme } from "#src/standard/shared/scheme-names.ts";
import { postalAddress } from "./parties.ts";
import { remittanceInformation } from "./remittance-information.ts";

const account = closed({
  SchemeName: accountScheme,
  Identification: text(256),
  Name: text(350),
  SecondaryIdentification: Type.Optional(text(34)),
});

const shared = {
  InstructionIdentification: text(35),
  LocalInstrument: Type.Optional(localInstrument),
  InstructedAmount: closedAmount,
  DebtorAccount: Type.Optional(closed({ ...account.properties, Name: Type.Optional(text(350)) })),
  CreditorAccount: account,
  CreditorPostalAddress: Type.Optional(postalAddress),
  RemittanceInformation: Type.Optional(remittanceInformation),
  SupplementaryData: Type.Optional(supplementaryData),
};

/** `Initiation` of a domestic payment in v3.1. Source: OBWriteDomestic2: v3.1.11. */
export const domesticInitiationV3 = closed({ ...shared, EndToEndIdentification: text(35) });

/** The same of a domestic payment on a day. Source: OBWriteDomesticScheduled2: v3.1.11. */
export const domesticScheduledInitiationV3 = closed({
  ...shared,
  EndToEndIdentification: Type.Optional(text(35)),
  RequestedExecutionDateTime: dateTime(),
});

import Type from "typebox";
import { initiationFields, supplementaryData } from "#src/standard/pisp-v4.0/initiation.ts";
import { creditorAccount } from "#src/standard/pisp-v4.0/parties.ts";
import { closed, text } from "#src/standard/shared/schema.ts";
import { postalAddress } from "./parties.ts";
import { remittanceInformation } from "./remittance-information.ts";

const account = closed({
  SchemeName: creditorAccount.properties.SchemeName,
  Identification: creditorAccount.properties.Identification,
  Name: text(350),
  SecondaryIdentification: Type.Optional(text(34)),
});

const { InstructionIdentification, EndToEndIdentification, LocalInstrument } = initiationFields;
const { RequestedExecutionDateTime, InstructedAmount } = initiationFields;

const shared = {
  InstructionIdentification,
  LocalInstrument: Type.Optional(LocalInstrument),
  InstructedAmount,
  DebtorAccount: Type.Optional(closed({ ...account.properties, Name: Type.Optional(text(350)) })),
  CreditorAccount: account,
  CreditorPostalAddress: Type.Optional(postalAddress),
  RemittanceInformation: Type.Optional(remittanceInformation),
  SupplementaryData: Type.Optional(supplementaryData),
};

/** `Initiation` of a domestic payment in v3.1. Source: OBWriteDomestic2: v3.1.11. */
export const domesticInitiationV3 = closed({ ...shared, EndToEndIdentification });

/** The same of a domestic payment on a day. Source: OBWriteDomesticScheduled2: v3.1.11. */
export const domesticScheduledInitiationV3 = closed({
  ...shared,
  EndToEndIdentification: Type.Optional(EndToEndIdentification),
  RequestedExecutionDateTime,
});

import Type from "typebox";
import { initiationFields, supplementaryData } from "#src/standard/pisp-v4.0/initiation.ts";
import { creditorAccount } from "#src/standard/pisp-v4.0/parties.ts";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { countryCode } from "#src/standard/shared/v4/parties.ts";

const account = closed({
  SchemeName: creditorAccount.properties.SchemeName,
  Identification: creditorAccount.properties.Identification,
  Name: text(350),
  SecondaryIdentification: Type.Optional(text(34)),
});

const postalAddress = closed({
  AddressType: Type.Optional(
    oneOf([
      ...["Business", "Correspondence", "DeliveryTo", "MailTo"],
      ...["POBox", "Postal", "Residential", "Statement"],
    ]),
  ),
  Department: Type.Optional(text(70)),
  SubDepartment: Type.Optional(text(70)),
  StreetName: Type.Optional(text(70)),
  BuildingNumber: Type.Optional(text(16)),
  PostCode: Type.Optional(text(16)),
  TownName: Type.Optional(text(35)),
  CountrySubDivision: Type.Optional(text(35)),
  Country: Type.Optional(countryCode),
  AddressLine: Type.Optional(Type.Array(text(70), { minItems: 0, maxItems: 7 })),
});

// In v3 the free text is one text and the reference is beside it.
const remittanceInformation = open({
  Unstructured: Type.Optional(text(140)),
  Reference: Type.Optional(text(35)),
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

/** `Initiation` of a domestic payment in v3.1. Source: OBWriteDomestic2 of v3.1. */
export const domesticInitiationV3 = closed({ ...shared, EndToEndIdentification });

/** The same of a domestic payment on a day. Source: OBWriteDomesticScheduled2 of v3.1. */
export const domesticScheduledInitiationV3 = closed({
  ...shared,
  EndToEndIdentification: Type.Optional(EndToEndIdentification),
  RequestedExecutionDateTime,
});

import Type from "typebox";
import { closedAmount, currencyCode } from "#src/standard/shared/amount.ts";
import { closed, dateTime, oneOf, text } from "#src/standard/shared/schema.ts";
import { accountScheme, agentScheme } from "#src/standard/shared/scheme-names.ts";
import { closedPostalAddress, countryCode } from "#src/standard/shared/v4/parties.ts";
import { chargeBearer } from "./charges.ts";
import { exchangeRateRequest } from "./exchange-rate-information.ts";
import { localInstrument } from "./initiation.ts";

const account = {
  SchemeName: accountScheme,
  Identification: text(256),
  SecondaryIdentification: Type.Optional(text(34)),
};

const atHome = {
  InstructionIdentification: Type.Optional(text(35)),
  EndToEndIdentification: text(35),
  LocalInstrument: Type.Optional(localInstrument),
  RequestedExecutionDateTime: Type.Optional(dateTime()),
  InstructedAmount: closedAmount,
  DebtorAccount: Type.Optional(closed({ ...account, Name: Type.Optional(text(350)) })),
  CreditorAccount: closed({ ...account, Name: text(350) }),
  RemittanceInformation: Type.Optional(
    closed({
      Structured: Type.Optional(
        Type.Array(closed({ CreditorReferenceInformation: closed({ Reference: text(35) }) })),
      ),
      Unstructured: Type.Optional(Type.Array(text(140))),
    }),
  ),
};

/** The members of an initiation that a credit transfer of ISO 20022 can have. */
export const transferAtHome = closed(atHome);

/** The same of a transfer to another country or in another currency. */
export const transferAbroad = closed({
  ...atHome,
  InstructionPriority: Type.Optional(oneOf(["Normal", "Urgent"])),
  ChargeBearer: Type.Optional(chargeBearer),
  CurrencyOfTransfer: currencyCode,
  DestinationCountryCode: Type.Optional(countryCode),
  ExchangeRateInformation: Type.Optional(exchangeRateRequest),
  Creditor: Type.Optional(
    closed({ Name: Type.Optional(text(350)), PostalAddress: Type.Optional(closedPostalAddress) }),
  ),
  CreditorAgent: Type.Optional(
    closed({
      SchemeName: Type.Optional(agentScheme),
      Identification: Type.Optional(text(35)),
      Name: Type.Optional(text(140)),
      PostalAddress: Type.Optional(closedPostalAddress),
    }),
  ),
});

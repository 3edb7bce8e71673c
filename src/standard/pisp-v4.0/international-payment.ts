import { immediateStatuses } from "#src/standard/shared/payments/statuses.ts";
import { initiation } from "./initiation.ts";
import { kindSchemas } from "./kind-schemas.ts";

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

import { cancellableStatuses } from "#src/standard/shared/payments/statuses.ts";
import { initiation } from "./initiation.ts";
import { kindSchemas } from "./kind-schemas.ts";

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

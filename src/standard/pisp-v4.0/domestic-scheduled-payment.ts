import { cancellableStatuses } from "#src/standard/shared/payments/statuses.ts";
import { initiation } from "./initiation.ts";
import { kindSchemas } from "./kind-schemas.ts";

/** The bodies of a domestic scheduled payment. Source: OBWriteDomesticScheduled2. */
export const domesticScheduledPayment = kindSchemas("domesticScheduledPayment", {
  initiation: initiation({
    InstructionIdentification: "M",
    EndToEndIdentification: "x",
    LocalInstrument: "x",
    RequestedExecutionDateTime: "M",
    InstructedAmount: "M",
    DebtorAccount: "x",
    CreditorAccount: "M",
    CreditorPostalAddress: "x",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: cancellableStatuses,
});

import { immediateStatuses } from "#src/standard/shared/payments/statuses.ts";
import { initiation } from "./initiation.ts";
import { kindSchemas } from "./kind-schemas.ts";

/** The bodies of a domestic payment. Source: OBWriteDomestic2. */
export const domesticPayment = kindSchemas("domesticPayment", {
  initiation: initiation({
    InstructionIdentification: "M",
    EndToEndIdentification: "M",
    LocalInstrument: "x",
    InstructedAmount: "M",
    DebtorAccount: "x",
    CreditorAgent: "x",
    CreditorAccount: "M",
    CreditorPostalAddress: "x",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: immediateStatuses,
});

import { everyStatus } from "#src/standard/shared/payments/statuses.ts";
import { initiation } from "./initiation.ts";
import { kindSchemas } from "./kind-schemas.ts";

/** The bodies of an international standing order. Source: OBWriteInternationalStandingOrder4. */
export const internationalStandingOrder = kindSchemas("internationalStandingOrder", {
  initiation: initiation({
    MandateRelatedInformation: "M",
    NumberOfPayments: "x",
    ExtendedPurpose: "x",
    ChargeBearer: "x",
    CurrencyOfTransfer: "M",
    DestinationCountryCode: "x",
    InstructedAmount: "M",
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
  statuses: everyStatus,
});

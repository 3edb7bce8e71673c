import { everyStatus } from "#src/standard/shared/payments/statuses.ts";
import { initiation } from "./initiation.ts";
import { kindSchemas } from "./kind-schemas.ts";

/** The bodies of a domestic standing order. Source: OBWriteDomesticStandingOrder3. */
export const domesticStandingOrder = kindSchemas("domesticStandingOrder", {
  initiation: initiation({
    MandateRelatedInformation: "M",
    NumberOfPayments: "x",
    FirstPaymentAmount: "M",
    RecurringPaymentAmount: "x",
    FinalPaymentAmount: "x",
    DebtorAccount: "x",
    CreditorAccount: "M",
    UltimateCreditor: "x",
    UltimateDebtor: "x",
    RegulatoryReporting: "x",
    RemittanceInformation: "x",
    SupplementaryData: "x",
  }),
  statuses: everyStatus,
});

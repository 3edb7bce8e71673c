import { everyStatus } from "#src/standard/shared/payments/statuses.ts";
import { initiation } from "./initiation.ts";
import { kindSchemas, permission } from "./kind-schemas.ts";

/** The bodies of a domestic standing order. Source: OBWriteDomesticStandingOrder3. */
export const domesticStandingOrder = kindSchemas({
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
  orderIdField: "DomesticStandingOrderId",
  orderStatuses: everyStatus,
  consentMembers: { Permission: permission },
  responseMembers: {},
  titles: {
    consentRequest: "OBWriteDomesticStandingOrderConsent5",
    consentResponse: "OBWriteDomesticStandingOrderConsentResponse6",
    orderRequest: "OBWriteDomesticStandingOrder3",
    orderResponse: "OBWriteDomesticStandingOrderResponse6",
  },
});

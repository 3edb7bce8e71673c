import type { Static } from "typebox";
import { initiation } from "./initiation.ts";
import { expectedDates, kindSchemas, permission } from "./kind-schemas.ts";
import { cancellableStatuses } from "./payment-statuses.ts";

/** The bodies of a domestic scheduled payment. Source: PISP OpenAPI file. */
export const domesticScheduledPayment = kindSchemas({
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
  orderIdField: "DomesticScheduledPaymentId",
  orderStatuses: cancellableStatuses,
  consentMembers: { Permission: permission },
  responseMembers: expectedDates,
  titles: {
    consentRequest: "OBWriteDomesticScheduledConsent4",
    consentResponse: "OBWriteDomesticScheduledConsentResponse5",
    orderRequest: "OBWriteDomesticScheduled2",
    orderResponse: "OBWriteDomesticScheduledResponse5",
  },
});

/** The initiation of a domestic scheduled payment. */
export type DomesticScheduledInitiation = Static<typeof domesticScheduledPayment.initiation>;
/** Body of `POST /domestic-scheduled-payment-consents`. */
export type DomesticScheduledConsentRequest = Static<
  typeof domesticScheduledPayment.consentRequest
>;
/** Body that answers it. */
export type DomesticScheduledConsentResponse = Static<
  typeof domesticScheduledPayment.consentResponse
>;
/** Body of `POST /domestic-scheduled-payments`. */
export type DomesticScheduledOrderRequest = Static<typeof domesticScheduledPayment.orderRequest>;
/** Body that answers it. */
export type DomesticScheduledOrderResponse = Static<typeof domesticScheduledPayment.orderResponse>;

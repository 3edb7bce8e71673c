import type { Static } from "typebox";
import { initiation } from "./initiation.ts";
import { internationalMembers, kindSchemas, permission } from "./kind-schemas.ts";
import { cancellableStatuses } from "./payment-statuses.ts";

/** The bodies of an international scheduled payment. Source: PISP OpenAPI file. */
export const internationalScheduledPayment = kindSchemas({
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
  orderIdField: "InternationalScheduledPaymentId",
  orderStatuses: cancellableStatuses,
  consentMembers: { Permission: permission },
  authorisationTypes: ["Any", "Single"],
  responseMembers: internationalMembers,
  titles: {
    consentRequest: "OBWriteInternationalScheduledConsent5",
    consentResponse: "OBWriteInternationalScheduledConsentResponse6",
    orderRequest: "OBWriteInternationalScheduled3",
    orderResponse: "OBWriteInternationalScheduledResponse6",
  },
});

/** The initiation of an international scheduled payment. */
export type InternationalScheduledInitiation = Static<
  typeof internationalScheduledPayment.initiation
>;
/** Body of `POST /international-scheduled-payment-consents`. */
export type InternationalScheduledConsentRequest = Static<
  typeof internationalScheduledPayment.consentRequest
>;
/** Body that answers it. */
export type InternationalScheduledConsentResponse = Static<
  typeof internationalScheduledPayment.consentResponse
>;
/** Body of `POST /international-scheduled-payments`. */
export type InternationalScheduledOrderRequest = Static<
  typeof internationalScheduledPayment.orderRequest
>;
/** Body that answers it. */
export type InternationalScheduledOrderResponse = Static<
  typeof internationalScheduledPayment.orderResponse
>;

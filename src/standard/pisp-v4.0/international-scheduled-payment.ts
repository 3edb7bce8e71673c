import { cancellableStatuses } from "#src/standard/shared/payments/statuses.ts";
import { initiation } from "./initiation.ts";
import { internationalMembers, kindSchemas, permission } from "./kind-schemas.ts";

/** The bodies of an international scheduled payment. Source: OBWriteInternationalScheduled3. */
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
  responseMembers: internationalMembers,
  titles: {
    consentRequest: "OBWriteInternationalScheduledConsent5",
    consentResponse: "OBWriteInternationalScheduledConsentResponse6",
    orderRequest: "OBWriteInternationalScheduled3",
    orderResponse: "OBWriteInternationalScheduledResponse6",
  },
});

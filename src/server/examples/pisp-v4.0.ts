import { paymentExamples } from "./payment-examples.ts";

/** The example bodies in v4.0. */
export const examplesV40 = paymentExamples({
  remittance: (text) => ({ Unstructured: [text] }),
  reference: (text) => ({ RemittanceInformation: { Unstructured: [text] } }),
  monthEnds: () => ({
    MandateRelatedInformation: { Frequency: { Type: "MNTH", PointInTime: "-1" } },
  }),
  monthly: (first) => ({
    MandateRelatedInformation: { FirstPaymentDateTime: first, Frequency: { Type: "MNTH" } },
  }),
  fileType: "UK.OBIE.PaymentInitiation.4.0",
});

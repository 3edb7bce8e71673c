import { paymentExamples } from "./payment-examples.ts";

/** The example bodies in v3.1. */
export const examplesV31 = paymentExamples({
  remittance: (text) => ({ Unstructured: text }),
  reference: (text) => ({ Reference: text }),
  monthEnds: (first) => ({ Frequency: "IntrvlMnthDay:01:-01", FirstPaymentDateTime: first }),
  monthly: (first) => ({
    Frequency: `IntrvlMnthDay:01:${first.slice(8, 10)}`,
    FirstPaymentDateTime: first,
  }),
  fileType: "UK.OBIE.PaymentInitiation.3.1",
});

import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { KindExamples } from "./example.ts";
import { sweeping } from "./sweeping.ts";

const remittance = { Unstructured: "Sweeping" };

const creditor = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "08080021325698",
  Name: "Hawthorne Joinery Ltd",
};

/** The example bodies in v3.1. */
export const examplesV31: Readonly<Partial<Record<PaymentKindId, KindExamples>>> = {
  "domestic-vrp": {
    sample: () => sweeping(creditor, remittance, ["ALDGATE-1", "SWEEP-1"]),
    demo: (payee, now) =>
      sweeping(payee, remittance, [`demo-${now.epochMilliseconds}`, "aldgate-demo"]),
  },
};

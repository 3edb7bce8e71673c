import { usedOnce } from "#src/consents/states.ts";
import { memberPaths, wireOfV4 } from "#src/payments/wires/pisp-v4.0.ts";
import {
  demoParts,
  examplePayment,
  internationalSample,
  laterSample,
  permission,
} from "#src/payments/wires/pisp-v4.0-examples.ts";
import * as standard from "#src/standard/pisp-v4.0/international-scheduled-payment.ts";
import { emitSets } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { internationalPayment } from "./international-payment.ts";
import { definePaymentKind } from "./payment-kind.ts";

/** A single international payment on a future date. */
export const internationalScheduledPayment = definePaymentKind({
  ...internationalPayment,
  id: "international-scheduled-payment",
  tag: "International Scheduled Payments",
  orderIdField: "InternationalScheduledPaymentId",
  consentIdPrefix: "isc",
  orderIdPrefix: "is",
  consent: usedOnce,
  family: "scheduled",
  hasCutOff: false,
  timing: { when: "onDate", horizonDays: 366 },
  demo: {
    creditor: demoParts.inGermany,
    advance: "P10D",
  },
  wires: {
    "pisp-v4.0": wireOfV4({
      schemas: standard.internationalScheduledPayment,
      paths: memberPaths.international,
      statuses: emitSets.internationalLater,
      sample: (day) => examplePayment({ ...internationalSample, ...laterSample(day) }, permission),
      demo: (creditor, now) =>
        examplePayment(
          {
            ...demoParts.identified(now),
            ...demoParts.later(now),
            ...demoParts.euros,
            CreditorAccount: creditor,
            ...demoParts.remittance,
          },
          permission,
        ),
    }),
  },
});

import { type Format, shownOrder } from "#src/payments/formats/format.ts";
import { initiationFormats } from "#src/payments/formats/initiation-format.ts";
import { inInitiation, memberPaths as shared } from "#src/payments/formats/member-paths.ts";
import { reportWords } from "#src/payments/formats/report-words.ts";
import { readV3Frequency } from "#src/payments/formats/v3-frequency.ts";
import type { RequestedFrequency } from "#src/payments/request/payment-request.ts";
import { textAt } from "#src/payments/request/read-request.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { judgedBy } from "#src/standard/pisp-v3.1/judgement.ts";
import { bodiesV3, paymentDetailsV3 } from "#src/standard/pisp-v3.1/payment-bodies.ts";
import {
  detailReason,
  multiAuthorisationWords,
  statusesV3,
} from "#src/standard/pisp-v3.1/payment-statuses.ts";
import {
  references,
  standingOrderReferences,
} from "#src/standard/pisp-v3.1/remittance-information.ts";
import { pispV31 } from "#src/standard/pisp-v3.1/version.ts";
import { fundsConfirmationResponse } from "#src/standard/shared/payments/funds-confirmation.ts";
import { isV3Frequency } from "#src/standard/shared/v4/frequency.ts";
import { consentStanding, detailRenderer, laterStanding } from "./render.ts";

const frequency = "Frequency";

const schedule = inInitiation({
  executionDate: "FirstPaymentDateTime",
  finalDate: "FinalPaymentDateTime",
  numberOfPayments: "NumberOfPayments",
  "frequency.type": frequency,
});

// only domestic orders have it
const recurring = inInitiation({ recurringDate: "RecurringPaymentDateTime" });

const inV31 = initiationFormats({
  version: pispV31,
  schemas: { details: paymentDetailsV3, funds: fundsConfirmationResponse },
  judgedBy,
  references,
  schedule: {
    otherPaths: [],
    read: (initiation) => ({
      frequency: readFrequency(textAt(initiation, frequency)),
      mandate: null,
      remittance: null,
    }),
  },
  consentStanding,
  orderStanding: shownOrder,
  authorisationWords: multiAuthorisationWords,
  renderDetail: detailRenderer(256),
  // the published file declares no 409 for these kinds. Source: F-059
  keyConflict: { status: 400, code: "U006" },
});

const { immediate, later, standingOrder } = statusesV3;

/** The payment kinds in v3.1, apart from variable recurring payments. */
export const formatsV31 = {
  "domestic-payment": inV31({
    schemas: bodiesV3.domesticPayment,
    paths: shared.domestic,
    statuses: immediate,
  }),
  "domestic-scheduled-payment": inV31({
    schemas: bodiesV3.domesticScheduledPayment,
    paths: shared.domesticScheduled,
    statuses: later,
    orderStanding: laterStanding,
  }),
  "domestic-standing-order": inV31({
    schemas: bodiesV3.domesticStandingOrder,
    paths: { ...shared.domesticStandingOrder, ...schedule, ...recurring },
    references: standingOrderReferences,
    statuses: standingOrder,
  }),
  "international-payment": inV31({
    schemas: bodiesV3.internationalPayment,
    paths: shared.international,
    statuses: immediate,
  }),
  "international-scheduled-payment": inV31({
    schemas: bodiesV3.internationalScheduledPayment,
    paths: shared.internationalScheduled,
    statuses: later,
    orderStanding: laterStanding,
  }),
  "international-standing-order": inV31({
    schemas: bodiesV3.internationalStandingOrder,
    paths: { ...shared.internationalStandingOrder, ...schedule },
    references: standingOrderReferences,
    statuses: standingOrder,
  }),
  "file-payment": inV31({
    schemas: bodiesV3.filePayment,
    paths: shared.file,
    statuses: statusesV3.file,
    reportWords: reportWords(statusesV3.file.words, ({ status, reasonCode }) =>
      detailReason(status, reasonCode),
    ),
  }),
} as const satisfies Partial<Record<PaymentKindId, Format>>;

/**
 * Reads a frequency, such as `IntrvlMnthDay:01:03`, which names its day itself. Returns null if
 * there is none, or one that the schema refuses.
 */
function readFrequency(given: unknown): RequestedFrequency | null {
  if (typeof given !== "string" || !isV3Frequency(given)) return null;
  const rhythm = readV3Frequency(given);
  return rhythm && { read: { rhythm }, superseded: null, hasCount: false };
}

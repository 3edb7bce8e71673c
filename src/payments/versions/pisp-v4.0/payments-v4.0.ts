import { reportWords } from "#src/payments/formats/report-words.ts";
import {
  type PaymentVersion,
  paymentInitiationFiles,
} from "#src/payments/versions/payment-version.ts";
import * as bodies from "#src/standard/pisp-v4.0/payment-bodies.ts";
import { shownStatuses } from "#src/standard/shared/payments/statuses.ts";
import { formatOfV4, memberPaths } from "./formats.ts";
import { domesticVrpV40 } from "./vrp.ts";

const formats = {
  "domestic-payment": formatOfV4({
    schemas: bodies.domesticPayment,
    paths: memberPaths.domestic,
    statuses: shownStatuses.immediate,
  }),
  "domestic-scheduled-payment": formatOfV4({
    schemas: bodies.domesticScheduledPayment,
    paths: memberPaths.domesticScheduled,
    statuses: shownStatuses.later,
  }),
  "domestic-standing-order": formatOfV4({
    schemas: bodies.domesticStandingOrder,
    paths: memberPaths.domesticStandingOrder,
    statuses: shownStatuses.standingOrder,
  }),
  "international-payment": formatOfV4({
    schemas: bodies.internationalPayment,
    paths: memberPaths.international,
    statuses: shownStatuses.immediate,
  }),
  "international-scheduled-payment": formatOfV4({
    schemas: bodies.internationalScheduledPayment,
    paths: memberPaths.internationalScheduled,
    statuses: shownStatuses.later,
  }),
  "international-standing-order": formatOfV4({
    schemas: bodies.internationalStandingOrder,
    paths: memberPaths.internationalStandingOrder,
    statuses: shownStatuses.standingOrder,
  }),
  "file-payment": formatOfV4({
    schemas: bodies.filePayment,
    paths: memberPaths.file,
    statuses: shownStatuses.file,
    reportWords: reportWords(undefined, ({ reasonCode }) => reasonCode),
  }),
  "domestic-vrp": domesticVrpV40,
};

/** Payments in v4.0. */
export const paymentsV40: PaymentVersion = {
  id: "pisp-v4.0",
  formats,
  fileFormats: [paymentInitiationFiles("UK.OBIE.PaymentInitiation.4.0", formats)],
};

import { jsonFormat } from "#src/payments/files/json-format.ts";
import { initiationFormat } from "#src/payments/formats/format.ts";
import { reportWords } from "#src/payments/formats/report-words.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import { internationalPayment } from "#src/payments/kinds/international-payment.ts";
import { internationalScheduledPayment } from "#src/payments/kinds/international-scheduled-payment.ts";
import type { PaymentVersion } from "#src/payments/versions/payment-version.ts";
import * as domestic from "#src/standard/pisp-v4.0/domestic-payment.ts";
import * as domesticScheduled from "#src/standard/pisp-v4.0/domestic-scheduled-payment.ts";
import * as domesticOrder from "#src/standard/pisp-v4.0/domestic-standing-order.ts";
import * as file from "#src/standard/pisp-v4.0/file-payment.ts";
import * as international from "#src/standard/pisp-v4.0/international-payment.ts";
import * as internationalScheduled from "#src/standard/pisp-v4.0/international-scheduled-payment.ts";
import * as internationalOrder from "#src/standard/pisp-v4.0/international-standing-order.ts";
import { shownStatuses } from "#src/standard/shared/payments/statuses.ts";
import { formatOfV4, memberPaths } from "./formats.ts";
import { domesticVrpV40 } from "./vrp.ts";

const formats = {
  "domestic-payment": formatOfV4({
    schemas: domestic.domesticPayment,
    paths: memberPaths.domestic,
    statuses: shownStatuses.immediate,
  }),
  "domestic-scheduled-payment": formatOfV4({
    schemas: domesticScheduled.domesticScheduledPayment,
    paths: memberPaths.domesticScheduled,
    statuses: shownStatuses.later,
  }),
  "domestic-standing-order": formatOfV4({
    schemas: domesticOrder.domesticStandingOrder,
    paths: memberPaths.domesticStandingOrder,
    statuses: shownStatuses.standingOrder,
  }),
  "international-payment": formatOfV4({
    schemas: international.internationalPayment,
    paths: memberPaths.international,
    statuses: shownStatuses.immediate,
  }),
  "international-scheduled-payment": formatOfV4({
    schemas: internationalScheduled.internationalScheduledPayment,
    paths: memberPaths.internationalScheduled,
    statuses: shownStatuses.later,
  }),
  "international-standing-order": formatOfV4({
    schemas: internationalOrder.internationalStandingOrder,
    paths: memberPaths.internationalStandingOrder,
    statuses: shownStatuses.standingOrder,
  }),
  "file-payment": formatOfV4({
    schemas: file.filePayment,
    paths: memberPaths.file,
    statuses: shownStatuses.file,
    reportWords: reportWords(undefined, ({ reasonCode }) => reasonCode),
  }),
  "domestic-vrp": domesticVrpV40,
};

/** Payments in files in the format of v4.0. Source: PISP resource pages, File Payment Consents. */
const paymentInitiation = jsonFormat({
  fileType: "UK.OBIE.PaymentInitiation.4.0",
  payloads: {
    DomesticPayments: {
      kind: domesticPayment,
      format: initiationFormat(formats["domestic-payment"]),
    },
    DomesticScheduledPayments: {
      kind: domesticScheduledPayment,
      format: initiationFormat(formats["domestic-scheduled-payment"]),
    },
    InternationalPayments: {
      kind: internationalPayment,
      format: initiationFormat(formats["international-payment"]),
    },
    InternationalScheduledPayments: {
      kind: internationalScheduledPayment,
      format: initiationFormat(formats["international-scheduled-payment"]),
    },
  },
});

/** Payments in v4.0. */
export const paymentsV40: PaymentVersion = {
  id: "pisp-v4.0",
  formats,
  fileFormats: [paymentInitiation],
};

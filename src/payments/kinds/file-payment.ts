import { usedOnceForFile } from "#src/consents/states.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import type { Check } from "#src/payments/request/checks.ts";
import { ofFile } from "#src/payments/shapes/of-file/of-file.ts";
import { domesticPayment } from "./domestic-payment.ts";
import { internationalPayment } from "./international-payment.ts";

/** P-191: checks that the bank accepts files of the consent's file type. */
const checkFileType: Check = ({ kind, request: { file } }) => {
  const type = file?.type ?? null;
  const known = (kind.fileFormats ?? []).map(({ fileType }) => fileType);
  if (type === null || known.includes(type)) return [];
  return [
    { code: "U002", member: "file.type", message: `FileType must be one of ${known.join(", ")}.` },
  ];
};

/** P-192: checks that the hash is base64 SHA-256, with or without its padding. */
const checkFileHash: Check = ({ request: { file } }) => {
  const hash = file?.hash ?? null;
  if (hash === null || /^[A-Za-z0-9+/]{43}=?$/.test(hash)) return [];
  const message =
    "FileHash must be the file's SHA-256 in base64: 43 characters, with or without a final =.";
  return [{ code: "U002", member: "file.hash", message }];
};

/** The payments of a file that is uploaded for the consent. */
export const filePayment = definePaymentKind({
  id: "file-payment",
  tag: "File Payments",
  orderIdField: "FilePaymentId",
  consentIdPrefix: "fpc",
  orderIdPrefix: "fp",
  consent: usedOnceForFile,
  shape: ofFile,
  family: "file",
  timing: {
    when: "onDate",
    horizonDays: 366,
    optional: true,
  },
  hasCutOff: true,
  givesExpectedDates: false,
  confirmsFunds: false,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: [...domesticPayment.localInstruments, ...internationalPayment.localInstruments],
  // amounts are checked when the file is uploaded, because they are not known before
  checks: [checkFileType, checkFileHash],
});

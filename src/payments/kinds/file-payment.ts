import { usedOnceForFile } from "#src/consents/states.ts";
import { fileFormats, findFileFormat } from "#src/payments/files/file-formats.ts";
import type { Check } from "#src/payments/request/checks.ts";
import { textAt } from "#src/payments/request/json-path.ts";
import * as standard from "#src/standard/pisp-v4.0/file-payment.ts";
import { domesticPayment } from "./domestic-payment.ts";
import { internationalPayment } from "./international-payment.ts";
import { definePaymentKind } from "./payment-kind.ts";

const at = "Data.Initiation";

/** P-191: the bank takes files of that format. */
const checkFileType: Check = ({ body }) => {
  const fileType = textAt(body, `${at}.FileType`);
  if (fileType === undefined || findFileFormat(fileType)) return [];
  const known = fileFormats.map((format) => format.fileType).join(", ");
  return [{ code: "U002", path: `${at}.FileType`, message: `The bank takes ${known}.` }];
};

/** P-192: the hash is one of SHA-256 in base64, with its padding or without. */
const checkFileHash: Check = ({ body }) => {
  const hash = textAt(body, `${at}.FileHash`);
  if (hash === undefined || /^[A-Za-z0-9+/]{43}=?$/.test(hash)) return [];
  const message = "Send the file's SHA-256 in base64: 43 characters, and = if you like.";
  return [{ code: "U002", path: `${at}.FileHash`, message }];
};

/** Payments of a file that is uploaded to the consent. Source: digest 1.2 to 1.6 and 2.20, FP. */
export const filePayment = definePaymentKind({
  id: "file-payment",
  tag: "File Payments",
  orderIdField: "FilePaymentId",
  consentIdPrefix: "fpc",
  orderIdPrefix: "fp",
  schemas: standard.filePayment,
  consent: usedOnceForFile,
  timing: {
    when: "onDate",
    field: "RequestedExecutionDateTime",
    horizonDays: 366,
    optional: true,
  },
  givesExpectedDates: false,
  fundsConfirmation: false,
  amounts: [],
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: [...domesticPayment.localInstruments, ...internationalPayment.localInstruments],
  // what the payments cost is known when the file is there
  checks: [checkFileType, checkFileHash],
  payments: null,
});

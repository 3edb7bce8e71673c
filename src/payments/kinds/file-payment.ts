import { createHash } from "node:crypto";
import { usedOnceForFile } from "#src/consents/states.ts";
import { fileFormats } from "#src/payments/files/file-formats.ts";
import type { Check } from "#src/payments/request/checks.ts";
import { ofFile } from "#src/payments/shapes/of-file/of-file.ts";
import type { Example } from "#src/payments/wires/example.ts";
import { memberPaths, wireOfV4 } from "#src/payments/wires/pisp-v4.0.ts";
import { demoParts, domesticSample } from "#src/payments/wires/pisp-v4.0-examples.ts";
import * as standard from "#src/standard/pisp-v4.0/file-payment.ts";
import { emitSets } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { domesticPayment } from "./domestic-payment.ts";
import { internationalPayment } from "./international-payment.ts";
import { definePaymentKind } from "./payment-kind.ts";

/** P-191: checks that the bank accepts files of the consent's file type. */
const checkFileType: Check = ({ request: { file } }) => {
  const type = file?.type ?? null;
  const known = fileFormats.map(({ fileType }) => fileType);
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
  shape: ofFile(fileFormats),
  family: "file",
  timing: {
    when: "onDate",
    horizonDays: 366,
    optional: true,
  },
  hasCutOff: true,
  givesExpectedDates: false,
  fundsConfirmation: null,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: [...domesticPayment.localInstruments, ...internationalPayment.localInstruments],
  // amounts are checked when the file is uploaded, because they are not known before
  checks: [checkFileType, checkFileHash],
  demo: { advance: null },
  wires: {
    "pisp-v4.0": wireOfV4({
      schemas: standard.filePayment,
      paths: memberPaths.file,
      statuses: emitSets.file,
      sample: () => {
        const second = {
          InstructionIdentification: "ALDGATE-2",
          EndToEndIdentification: "INVOICE-20419",
        };
        const payments = [domesticSample, { ...domesticSample, ...second }];
        const file = { Data: { DomesticPayments: payments } };
        const announced = { NumberOfTransactions: "2", ControlSum: 20 };
        // the hash of the sample file exactly as it is sent if nobody edits it
        return { ...announcing(JSON.stringify(file), announced), file };
      },
      demo(creditor, now) {
        const payments = ["4.00", "4.25", "4.25"].map((amount, index) => ({
          InstructionIdentification: `demo-${now.epochMilliseconds}-${index + 1}`,
          EndToEndIdentification: `aldgate-demo-${index + 1}`,
          InstructedAmount: { Amount: amount, Currency: "GBP" },
          CreditorAccount: creditor,
          ...demoParts.remittance,
        }));
        const file = JSON.stringify({ Data: { DomesticPayments: payments } });
        const announced = { NumberOfTransactions: "3", ControlSum: 12.5 };
        return { ...announcing(file, { FileReference: "aldgate-demo", ...announced }), file };
      },
    }),
  },
});

/** Returns the bodies of a payment whose consent announces a file. They have no Risk. */
const announcing = (file: string, members: Record<string, unknown>): Example<never> => {
  const Initiation = {
    FileType: "UK.OBIE.PaymentInitiation.4.0",
    FileHash: createHash("sha256").update(file).digest("base64"),
    ...members,
  };
  return {
    consent: { Data: { Initiation } },
    order: { Data: { ConsentId: "", Initiation } },
  };
};

import Type from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import {
  filePaymentBodies,
  type PaymentParts,
  paymentBodies,
} from "#src/standard/shared/payments/bodies.ts";
import { charges } from "#src/standard/shared/payments/charges.ts";
import { exchangeRateResponse } from "#src/standard/shared/payments/exchange-rate-information.ts";
import { localInstrument } from "#src/standard/shared/payments/initiation.ts";
import { scaSupportData } from "#src/standard/shared/payments/risk.ts";
import { closed, dateTime, oneOf, text } from "#src/standard/shared/schema.ts";
import { initiations } from "./initiations.ts";
import { creditor, creditorAccount, creditorAgent, debtor } from "./parties.ts";
import {
  detailReasons,
  everyDetailWord,
  laterOrderWords,
  multiAuthorisationWords,
  statusesV3,
  wordsOf,
} from "./payment-statuses.ts";
import { risk } from "./risk.ts";

const parts: PaymentParts = {
  risk,
  scaSupportData,
  authorisationTypes: ["Any", "Single"],
  signatureStatuses: Object.values(multiAuthorisationWords),
  charges,
  exchangeRate: exchangeRateResponse,
  debtor,
  reasons: {},
  consentStatuses: [
    "AwaitingUpload",
    "Authorised",
    "AwaitingAuthorisation",
    "Consumed",
    "Rejected",
  ],
};

const immediate = wordsOf(statusesV3.immediate);
const refund = closed({ Account: creditorAccount }, { title: "OBDomesticRefundAccount1" });

// published with the creditor and its bank, of which a refund to a customer here needs neither
const refundAbroad = closed({
  Creditor: Type.Optional(creditor(140)),
  Agent: Type.Optional(creditorAgent),
  Account: creditorAccount,
});
const ofStandingOrder = closed({
  ...refundAbroad.properties,
  Creditor: Type.Optional(creditor(350)),
});

const bodies = paymentBodies(parts);
const at = initiations;

/** The bodies of each kind. Source: PISP OpenAPI file, /domestic-payment-consents: v3.1.11. */
export const bodiesV3 = {
  domesticPayment: bodies("domesticPayment", {
    initiation: at.domesticPayment,
    statuses: immediate,
    refund,
  }),
  domesticScheduledPayment: bodies("domesticScheduledPayment", {
    initiation: at.domesticScheduledPayment,
    statuses: laterOrderWords,
    refund,
  }),
  domesticStandingOrder: bodies("domesticStandingOrder", {
    initiation: at.domesticStandingOrder,
    statuses: laterOrderWords,
    refund,
  }),
  internationalPayment: bodies("internationalPayment", {
    initiation: at.internationalPayment,
    statuses: immediate,
    refund: refundAbroad,
  }),
  internationalScheduledPayment: bodies("internationalScheduledPayment", {
    initiation: at.internationalScheduledPayment,
    statuses: laterOrderWords,
    refund: refundAbroad,
  }),
  internationalStandingOrder: bodies("internationalStandingOrder", {
    initiation: at.internationalStandingOrder,
    statuses: laterOrderWords,
    refund: ofStandingOrder,
  }),
  filePayment: filePaymentBodies(parts, {
    initiation: at.filePayment,
    statuses: wordsOf(statusesV3.file),
  }),
};

/** The status of each payment of an order. Source: OBWritePaymentDetailsResponse1: v3.1.11. */
export const paymentDetailsV3 = closed(
  {
    Data: closed({
      PaymentStatus: Type.Optional(
        Type.Array(
          closed({
            PaymentTransactionId: text(210),
            Status: oneOf(everyDetailWord),
            StatusUpdateDateTime: dateTime(),
            StatusDetail: Type.Optional(
              closed({
                LocalInstrument: Type.Optional(localInstrument),
                Status: text(128),
                StatusReason: Type.Optional(oneOf(detailReasons)),
                StatusReasonDescription: Type.Optional(text(256)),
              }),
            ),
          }),
        ),
      ),
    }),
    ...envelope,
  },
  { title: "OBWritePaymentDetailsResponse1" },
);

import Type, { type TProperties, type TSchema } from "typebox";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, text } from "#src/standard/shared/schema.ts";

// The bodies of the payment kinds except variable recurring payments. v3.1 and v4.0 build them in
// the same way, with the same names.

/** The parts that all kinds of a version share. */
export type PaymentParts = {
  risk: TSchema;
  /** Whether strong customer authentication is needed. */
  scaSupportData: TSchema;
  authorisationTypes: readonly string[];
  /** `Status` of the signatures that an order needs. */
  signatureStatuses: readonly string[];
  charges: TSchema;
  /** The bank's rate for an international payment. */
  exchangeRate: TSchema;
  /** The debtor as a response names him. */
  debtor: TSchema;
  /** The members that give the reasons of a status. */
  reasons: TProperties;
  /** `Status` of a consent; the first is that of a consent which waits for its file. */
  consentStatuses: readonly [string, ...string[]];
};

/** The parts of a version that are specific to a kind. */
export type KindParts = {
  initiation: TSchema;
  /** `Status` of an order. */
  statuses: readonly string[];
  /** The account for refunds, of the kinds that have it. */
  refund?: TSchema;
};

/** The published names of a kind's bodies, and the members that only some kinds have. */
type KindRow = {
  orderIdField: string;
  /** The ends of the names of the consent's request and response, and of the order's. */
  titles: readonly [string, string, string, string];
  shows: readonly ("permission" | "dates" | "rate")[];
};

const rows = {
  domesticPayment: {
    orderIdField: "DomesticPaymentId",
    titles: ["DomesticConsent4", "DomesticConsentResponse5", "Domestic2", "DomesticResponse5"],
    shows: ["dates"],
  },
  domesticScheduledPayment: {
    orderIdField: "DomesticScheduledPaymentId",
    titles: [
      "DomesticScheduledConsent4",
      "DomesticScheduledConsentResponse5",
      "DomesticScheduled2",
      "DomesticScheduledResponse5",
    ],
    shows: ["permission", "dates"],
  },
  domesticStandingOrder: {
    orderIdField: "DomesticStandingOrderId",
    titles: [
      "DomesticStandingOrderConsent5",
      "DomesticStandingOrderConsentResponse6",
      "DomesticStandingOrder3",
      "DomesticStandingOrderResponse6",
    ],
    shows: ["permission"],
  },
  internationalPayment: {
    orderIdField: "InternationalPaymentId",
    titles: [
      "InternationalConsent5",
      "InternationalConsentResponse6",
      "International3",
      "InternationalResponse5",
    ],
    shows: ["dates", "rate"],
  },
  internationalScheduledPayment: {
    orderIdField: "InternationalScheduledPaymentId",
    titles: [
      "InternationalScheduledConsent5",
      "InternationalScheduledConsentResponse6",
      "InternationalScheduled3",
      "InternationalScheduledResponse6",
    ],
    shows: ["permission", "dates", "rate"],
  },
  internationalStandingOrder: {
    orderIdField: "InternationalStandingOrderId",
    titles: [
      "InternationalStandingOrderConsent6",
      "InternationalStandingOrderConsentResponse7",
      "InternationalStandingOrder4",
      "InternationalStandingOrderResponse7",
    ],
    shows: ["permission"],
  },
} as const satisfies Record<string, KindRow>;

/** Source: PISP resource pages, Domestic Scheduled Payment Consents. */
const permission = { Permission: oneOf(["Create"]) };
const expectedDates = {
  ExpectedExecutionDateTime: Type.Optional(dateTime()),
  ExpectedSettlementDateTime: Type.Optional(dateTime()),
};
const readsRefund = { ReadRefundAccount: Type.Optional(oneOf(["No", "Yes"])) };
const cutOff = { CutOffDateTime: Type.Optional(dateTime()) };

/** The members of every response. */
const created = (reasons: TProperties, statuses: readonly string[]) => ({
  ConsentId: consentId,
  CreationDateTime: dateTime(),
  Status: oneOf(statuses),
  ...reasons,
  StatusUpdateDateTime: dateTime(),
});

/**
 * Makes the function that builds the bodies of a kind in one version. Source: PISP OpenAPI file,
 * /domestic-payment-consents, /domestic-payments.
 */
export const paymentBodies =
  (parts: PaymentParts) =>
  (name: keyof typeof rows, { initiation, statuses, refund }: KindParts) => {
    const { orderIdField, titles, shows }: KindRow = rows[name];
    const [consentRequest, consentResponse, orderRequest, orderResponse] = titles;
    const titled = (end: string) => ({ title: `OBWrite${end}` });
    const { risk, debtor, charges, exchangeRate } = parts;
    const [, ...consentStatuses] = parts.consentStatuses;
    const asked = {
      ...(shows.includes("permission") ? permission : {}),
      ...readsRefund,
      Initiation: initiation,
      ...approval(parts),
    };
    const added = {
      ...(shows.includes("dates") ? expectedDates : {}),
      ...(shows.includes("rate") ? { ExchangeRateInformation: Type.Optional(exchangeRate) } : {}),
      Charges: Type.Optional(charges),
      Debtor: Type.Optional(debtor),
    };
    return {
      initiation,
      consentRequest: closed({ Data: closed(asked), Risk: risk }, titled(consentRequest)),
      consentResponse: closed(
        {
          Data: closed({
            ...created(parts.reasons, consentStatuses),
            ...asked,
            ...cutOff,
            ...added,
          }),
          Risk: risk,
          ...envelope,
        },
        titled(consentResponse),
      ),
      orderRequest: closed(
        { Data: closed({ ConsentId: consentId, Initiation: initiation }), Risk: risk },
        titled(orderRequest),
      ),
      orderResponse: closed(
        {
          Data: closed({
            [orderIdField]: text(40),
            ...created(parts.reasons, statuses),
            ...added,
            ...(refund ? { Refund: Type.Optional(refund) } : {}),
            Initiation: initiation,
            ...signatures(parts),
          }),
          ...envelope,
        },
        titled(orderResponse),
      ),
    };
  };

/** What a consent may ask of its authorisation. Source: PISP profile, OBAuthorisation1. */
const approval = ({ authorisationTypes, scaSupportData }: PaymentParts) => ({
  Authorisation: Type.Optional(
    closed({
      AuthorisationType: oneOf(authorisationTypes),
      CompletionDateTime: Type.Optional(dateTime()),
    }),
  ),
  SCASupportData: Type.Optional(scaSupportData),
});

/** The signatures that an order needs. Source: PISP profile, OBMultiAuthorisation1. */
const signatures = ({ signatureStatuses }: PaymentParts) => ({
  MultiAuthorisation: Type.Optional(
    closed({
      Status: oneOf(signatureStatuses),
      NumberRequired: Type.Optional(Type.Integer()),
      NumberReceived: Type.Optional(Type.Integer()),
      LastUpdateDateTime: Type.Optional(dateTime()),
      ExpirationDateTime: Type.Optional(dateTime()),
    }),
  ),
});

/**
 * The bodies of a file payment: no Risk, Refund, Permission, ReadRefundAccount or expected dates.
 * Source: OBWriteFileConsent3, OBWriteFile2.
 */
export function filePaymentBodies(parts: PaymentParts, { initiation, statuses }: KindParts) {
  const asked = { Initiation: initiation, ...approval(parts) };
  const added = { Charges: Type.Optional(parts.charges), Debtor: Type.Optional(parts.debtor) };
  return {
    initiation,
    consentRequest: closed({ Data: closed(asked) }, { title: "OBWriteFileConsent3" }),
    consentResponse: closed(
      {
        Data: closed({
          ...created(parts.reasons, parts.consentStatuses),
          ...asked,
          ...cutOff,
          ...added,
        }),
        ...envelope,
      },
      { title: "OBWriteFileConsentResponse4" },
    ),
    orderRequest: closed(
      { Data: closed({ ConsentId: consentId, Initiation: initiation }) },
      { title: "OBWriteFile2" },
    ),
    orderResponse: closed(
      {
        Data: closed({
          FilePaymentId: text(40),
          ...created(parts.reasons, statuses),
          ...added,
          Initiation: initiation,
          ...signatures(parts),
        }),
        ...envelope,
      },
      { title: "OBWriteFileResponse3" },
    ),
  };
}

import Type, { type TObject, type TProperties } from "typebox";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { charges } from "#src/standard/shared/payments/charges.ts";
import { exchangeRateResponse } from "#src/standard/shared/payments/exchange-rate-information.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { debtor, refund } from "./parties.ts";
import { risk, scaSupportData } from "./risk.ts";

/** Why a resource is in its status. Source: OBExternalStatusReason1Code. */
export const statusReasons = Type.Array(
  open(
    {
      StatusReasonCode: Type.Optional(text(4)),
      StatusReasonDescription: Type.Optional(text(500)),
      Path: Type.Optional(text(500)),
    },
    { title: "OBStatusReason" },
  ),
);

/**
 * `Data.Authorisation` of a consent. The published file lacks Multiple for some kinds, but the text
 * of the standard allows it for all. Source: PISP profile, OBAuthorisation1; D-401-25.
 */
export const authorisation = closed({
  AuthorisationType: oneOf(["Any", "Single", "Multiple"]),
  CompletionDateTime: Type.Optional(dateTime()),
});

/** `Data.MultiAuthorisation` of an order. Source: PISP profile, OBMultiAuthorisation1. */
export const multiAuthorisation = closed({
  Status: oneOf(["AUTH", "AWAF", "RJCT"]),
  NumberRequired: Type.Optional(Type.Integer()),
  NumberReceived: Type.Optional(Type.Integer()),
  LastUpdateDateTime: Type.Optional(dateTime()),
  ExpirationDateTime: Type.Optional(dateTime()),
});

/**
 * `Data.Permission`, of the kinds that have it. Source: PISP resource pages, Domestic Scheduled
 * Payment Consents.
 */
export const permission = oneOf(["Create"]);

/**
 * When the bank thinks that it will execute and settle; not of every kind. Source:
 * OBWriteDomesticResponse5, OBWriteFileResponse3.
 */
export const expectedDates = {
  ExpectedExecutionDateTime: Type.Optional(dateTime()),
  ExpectedSettlementDateTime: Type.Optional(dateTime()),
};

/**
 * The additional members of international kinds' responses: the dates, and the rate. Source:
 * OBWriteInternationalResponse5.
 */
export const internationalMembers = {
  ...expectedDates,
  ExchangeRateInformation: Type.Optional(exchangeRateResponse),
};

const readRefundAccount = Type.Optional(oneOf(["No", "Yes"]));

/** The differences between the bodies of kinds. */
export type KindShape<
  Initiation extends TObject,
  IdField extends string,
  Consent extends TProperties,
  Response extends TProperties,
> = {
  initiation: Initiation;
  /** `DomesticPaymentId`. */
  orderIdField: IdField;
  orderStatuses: readonly string[];
  /** Members of `Data` that only this kind's consents have, in the request and in the response. */
  consentMembers: Consent;
  /** Members that the bank adds to `Data` of both responses. */
  responseMembers: Response;
  /** Names of the published schemas. */
  titles: {
    consentRequest: string;
    consentResponse: string;
    orderRequest: string;
    orderResponse: string;
  };
};

/**
 * The four bodies of a payment kind, and its initiation. Source: PISP OpenAPI file,
 * /domestic-payment-consents, /domestic-payments.
 */
export function kindSchemas<
  Initiation extends TObject,
  const IdField extends string,
  Consent extends TProperties,
  Response extends TProperties,
>(shape: KindShape<Initiation, IdField, Consent, Response>) {
  const { titles } = shape;
  return {
    initiation: shape.initiation,
    consentRequest: closed(
      {
        Data: closed({
          ...shape.consentMembers,
          ReadRefundAccount: readRefundAccount,
          Initiation: shape.initiation,
          Authorisation: Type.Optional(authorisation),
          SCASupportData: Type.Optional(scaSupportData),
        }),
        Risk: risk,
      },
      { title: titles.consentRequest },
    ),
    consentResponse: consentResponse(shape),
    orderRequest: closed(
      { Data: closed({ ConsentId: consentId, Initiation: shape.initiation }), Risk: risk },
      { title: titles.orderRequest },
    ),
    orderResponse: orderResponse(shape),
  };
}

const consentResponse = <
  Initiation extends TObject,
  IdField extends string,
  Consent extends TProperties,
  Response extends TProperties,
>(
  shape: KindShape<Initiation, IdField, Consent, Response>,
) =>
  closed(
    {
      Data: closed({
        ConsentId: consentId,
        CreationDateTime: dateTime(),
        Status: oneOf(["AWAU", "RJCT", "AUTH", "COND"]),
        StatusReason: Type.Optional(statusReasons),
        StatusUpdateDateTime: dateTime(),
        ...shape.consentMembers,
        ReadRefundAccount: readRefundAccount,
        CutOffDateTime: Type.Optional(dateTime()),
        ...shape.responseMembers,
        Charges: Type.Optional(charges),
        Initiation: shape.initiation,
        Authorisation: Type.Optional(authorisation),
        SCASupportData: Type.Optional(scaSupportData),
        Debtor: Type.Optional(debtor),
      }),
      Risk: risk,
      ...envelope,
    },
    { title: shape.titles.consentResponse },
  );

const orderResponse = <
  Initiation extends TObject,
  IdField extends string,
  Consent extends TProperties,
  Response extends TProperties,
>(
  shape: KindShape<Initiation, IdField, Consent, Response>,
) =>
  closed(
    {
      Data: closed({
        ...orderId(shape.orderIdField),
        ConsentId: consentId,
        CreationDateTime: dateTime(),
        Status: oneOf(shape.orderStatuses),
        StatusUpdateDateTime: dateTime(),
        StatusReason: Type.Optional(statusReasons),
        ...shape.responseMembers,
        Refund: Type.Optional(refund),
        Charges: Type.Optional(charges),
        Initiation: shape.initiation,
        MultiAuthorisation: Type.Optional(multiAuthorisation),
        Debtor: Type.Optional(debtor),
      }),
      ...envelope,
    },
    { title: shape.titles.orderResponse },
  );

// safe: TypeScript makes an index signature of a computed name, which would spoil the type
const orderId = <IdField extends string>(field: IdField) =>
  ({ [field]: text(40) }) as Record<IdField, ReturnType<typeof text>>;

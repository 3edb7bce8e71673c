import Type, { type TProperties, type TSchema } from "typebox";
import { amountText } from "./amount.ts";
import { consentId } from "./envelope.ts";
import { dateTime, namespaced, oneOf, open, text } from "./schema.ts";
import { accountScheme } from "./scheme-names.ts";

// The parts of variable recurring payments that v3.1 and v4.0 have in common. Nearly all their
// objects allow additional members, but the risk does not.

/** The purpose of a consent's payments. Source: OBVRPConsentType, V-008. */
const vrpType = namespaced(["UK.OBIE.VRPType.Sweeping", "UK.OBIE.VRPType.Other"]);

/** Whether the TPP authenticates the customer for each payment. Source: V-011. */
const authenticationMethod = namespaced(["UK.OBIE.SCA", "UK.OBIE.SCANotRequired"]);

/** Whether the customer is present at the TPP when it sends a payment. Source: V-012. */
const interactionType = oneOf(["InSession", "OffSession"]);

const currency = Type.String({ pattern: "^[A-Z]{3,3}$", minLength: 3, maxLength: 3 });

/** An amount of a limit or of a payment. */
export const vrpAmount = open({ Amount: amountText, Currency: currency });

/** The limits and conditions of a consent's payments. Source: OBDomesticVRPControlParameters. */
const controlParameters = open(
  {
    ValidFromDateTime: Type.Optional(dateTime()),
    ValidToDateTime: Type.Optional(dateTime()),
    MaximumIndividualAmount: vrpAmount,
    PeriodicLimits: Type.Array(
      open({
        PeriodType: oneOf(["Day", "Week", "Fortnight", "Month", "Half-year", "Year"]),
        PeriodAlignment: oneOf(["Consent", "Calendar"]),
        Amount: amountText,
        Currency: currency,
      }),
      { minItems: 1 },
    ),
    VRPType: Type.Array(vrpType, { minItems: 1 }),
    PSUAuthenticationMethods: Type.Array(authenticationMethod, { minItems: 1 }),
    PSUInteractionTypes: Type.Optional(Type.Array(interactionType)),
    SupplementaryData: Type.Optional(open({})),
  },
  { title: "OBDomesticVRPControlParameters" },
);

/** The members of an account besides its holder's name, which has a length for each use. */
export const vrpAccountMembers = {
  SchemeName: accountScheme,
  Identification: text(256),
  SecondaryIdentification: Type.Optional(text(34)),
};

const charges = (chargeBearer: TSchema) =>
  Type.Array(
    open({
      ChargeBearer: chargeBearer,
      Type: oneOf(["UK.OBIE.CHAPSOut", "UK.OBIE.BalanceTransferOut", "UK.OBIE.MoneyTransferOut"]),
      Amount: vrpAmount,
    }),
  );

/** The differences between the versions. */
type VrpParts = {
  initiation: TSchema;
  instruction: TSchema;
  debtorAccount: TSchema;
  refund: TSchema;
  risk: TSchema;
  chargeBearer: TSchema;
  localInstrument: TSchema;
  statuses: { consent: readonly string[]; order: readonly string[] };
  /** The members that give the reasons of a status. */
  reasons: { consent: TProperties; order: TProperties };
  /** `Links` and `Meta` of a response. */
  envelope: TProperties;
  /** An entry of payment-details. */
  detail: {
    status: TSchema;
    /** The status, its reason and the reason's description. */
    ofScheme: TProperties;
  };
};

/**
 * The bodies of variable recurring payments in one version. Source: VRP OpenAPI file,
 * /domestic-vrp-consents, /domestic-vrps.
 */
export function vrpBodies(parts: VrpParts) {
  const { initiation, instruction, debtorAccount, risk, statuses, reasons } = parts;
  const requested = {
    ReadRefundAccount: Type.Optional(oneOf(["No", "Yes"])),
    ControlParameters: controlParameters,
    Initiation: initiation,
  };
  const created = { CreationDateTime: dateTime(), StatusUpdateDateTime: dateTime() };
  // the debited account, whether the TPP named it or the customer chose it. Source: V-053
  const debited = { DebtorAccount: Type.Optional(debtorAccount) };
  return {
    initiation,
    consentRequest: open(
      { Data: open(requested), Risk: risk },
      { title: "OBDomesticVRPConsentRequest" },
    ),
    consentResponse: open(
      {
        Data: open({
          ConsentId: consentId,
          ...created,
          Status: oneOf(statuses.consent),
          ...reasons.consent,
          ...requested,
          ...debited,
        }),
        Risk: risk,
        ...parts.envelope,
      },
      { title: "OBDomesticVRPConsentResponse" },
    ),
    orderRequest: open(
      {
        Data: open({
          ConsentId: consentId,
          PSUAuthenticationMethod: authenticationMethod,
          PSUInteractionType: Type.Optional(interactionType),
          VRPType: vrpType,
          Initiation: initiation,
          Instruction: instruction,
        }),
        Risk: risk,
      },
      { title: "OBDomesticVRPRequest" },
    ),
    orderResponse: open(
      {
        Data: open({
          DomesticVRPId: text(40),
          ConsentId: consentId,
          ...created,
          Status: oneOf(statuses.order),
          ...reasons.order,
          ExpectedExecutionDateTime: Type.Optional(dateTime()),
          ExpectedSettlementDateTime: Type.Optional(dateTime()),
          Refund: Type.Optional(parts.refund),
          Charges: Type.Optional(charges(parts.chargeBearer)),
          Initiation: initiation,
          Instruction: instruction,
          ...debited,
        }),
        // the responses of other payments do not repeat the risk. Source: V-129
        Risk: risk,
        ...parts.envelope,
      },
      { title: "OBDomesticVRPResponse" },
    ),
    details: details(parts),
    fundsRequest: open({ Data: open(confirmed) }, { title: "OBVRPFundsConfirmationRequest" }),
    funds: open(
      {
        Data: open({
          FundsConfirmationId: text(40),
          CreationDateTime: dateTime(),
          ...confirmed,
          FundsAvailableResult: open({
            FundsAvailableDateTime: dateTime(),
            FundsAvailable: oneOf(["Available", "NotAvailable"]),
          }),
        }),
      },
      { title: "OBVRPFundsConfirmationResponse" },
    ),
  };
}

/**
 * The status of each payment of an order, with the links that every response of the bank has.
 * Source: OBDomesticVRPDetails, V-143.
 */
const details = ({ detail, localInstrument, envelope }: VrpParts) =>
  open(
    {
      Data: open({
        PaymentStatus: Type.Optional(
          Type.Array(
            open({
              PaymentTransactionId: text(210),
              Status: detail.status,
              StatusUpdateDateTime: dateTime(),
              StatusDetail: Type.Optional(
                open({ LocalInstrument: Type.Optional(localInstrument), ...detail.ofScheme }),
              ),
            }),
          ),
        ),
      }),
      ...envelope,
    },
    { title: "OBDomesticVRPDetails" },
  );

/** The amount whose funds are to be confirmed. Source: V-150, V-160. */
const confirmed = {
  ConsentId: consentId,
  Reference: Type.Optional(text(35)),
  InstructedAmount: vrpAmount,
};

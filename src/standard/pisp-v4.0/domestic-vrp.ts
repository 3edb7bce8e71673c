import Type, { type Static } from "typebox";
import { amountText } from "#src/standard/shared/amount.ts";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { dateTime, namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountScheme } from "#src/standard/shared/scheme-names.ts";
import { closedPostalAddress, proxy } from "#src/standard/shared/v4/parties.ts";
import { remittanceInformationSchema } from "#src/standard/shared/v4/remittance-information.ts";
import { chargeBearer } from "./charges.ts";
import { localInstrument } from "./initiation.ts";
import { statusReasons } from "./kind-schemas.ts";
import { refund, ultimateCreditor, ultimateDebtor } from "./parties.ts";
import { everyStatus, vrpStatuses } from "./payment-statuses.ts";
import { regulatoryReporting } from "./regulatory-reporting.ts";
import { documentTypes } from "./remittance-information.ts";
import { risk } from "./risk.ts";

// Variable recurring payments have a separate OpenAPI file. Nearly all its objects allow additional
// members, but the risk does not. Its account names, amounts and code lists differ in details from
// those of the other payments.

/** The purpose of a consent's payments. Source: OBVRPConsentType, V-008. */
export const vrpType = namespaced(["UK.OBIE.VRPType.Sweeping", "UK.OBIE.VRPType.Other"]);

/** Whether the TPP authenticates the customer for each payment. Source: V-011. */
export const authenticationMethod = namespaced(["UK.OBIE.SCA", "UK.OBIE.SCANotRequired"]);

/** Whether the customer is present at the TPP when it sends a payment. Source: V-012. */
export const interactionType = oneOf(["InSession", "OffSession"]);

const currency = Type.String({ pattern: "^[A-Z]{3,3}$", minLength: 3, maxLength: 3 });
const amount = open({ Amount: amountText, Currency: currency });

/** The limits and conditions of a consent's payments. Source: OBDomesticVRPControlParameters. */
export const controlParameters = open(
  {
    ValidFromDateTime: Type.Optional(dateTime()),
    ValidToDateTime: Type.Optional(dateTime()),
    MaximumIndividualAmount: amount,
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

const account = { SchemeName: accountScheme, Identification: text(256) };
const furtherOfAccount = {
  SecondaryIdentification: Type.Optional(text(34)),
  Proxy: Type.Optional(proxy),
};

/** The account to be debited; its holder's name is optional. Source: V-034. */
const debtorAccount = open(
  { ...account, Name: Type.Optional(text(350)), ...furtherOfAccount },
  { title: "OBCashAccountDebtorWithName" },
);

/** The account to be credited. Its name must be shorter than in other payments. Source: V-035. */
const creditorAccount = open(
  { ...account, Name: text(70), ...furtherOfAccount },
  { title: "OBCashAccountCreditor3" },
);

const remittanceInformation = remittanceInformationSchema({
  documentTypes: [...documentTypes, "AROI", "BOLD", "CMCN", "SOAC", "TSUT", "USAR", "VCHR"],
  issuerLength: 35,
  variant: "Vrp",
});

/** The parties that every payment of a consent has. Source: OBDomesticVRPInitiation. */
export const vrpInitiation = open(
  {
    DebtorAccount: Type.Optional(debtorAccount),
    UltimateDebtor: Type.Optional(ultimateDebtor),
    CreditorAccount: Type.Optional(creditorAccount),
    CreditorPostalAddress: Type.Optional(closedPostalAddress),
    UltimateCreditor: Type.Optional(ultimateCreditor),
    RemittanceInformation: Type.Optional(remittanceInformation),
    RegulatoryReporting: Type.Optional(regulatoryReporting),
  },
  { title: "OBDomesticVRPInitiation" },
);

/** The instruction for one payment of a consent. Source: OBDomesticVRPInstruction, V-103. */
export const vrpInstruction = open(
  {
    InstructionIdentification: text(35),
    EndToEndIdentification: text(35),
    RemittanceInformation: Type.Optional(remittanceInformation),
    LocalInstrument: Type.Optional(localInstrument),
    InstructedAmount: amount,
    CreditorPostalAddress: Type.Optional(closedPostalAddress),
    CreditorAccount: creditorAccount,
    UltimateCreditor: Type.Optional(ultimateCreditor),
    SupplementaryData: Type.Optional(open({})),
  },
  { title: "OBDomesticVRPInstruction" },
);

const requested = {
  ReadRefundAccount: Type.Optional(oneOf(["No", "Yes"])),
  ControlParameters: controlParameters,
  Initiation: vrpInitiation,
};

const charges = Type.Array(
  open({
    ChargeBearer: chargeBearer,
    Type: oneOf(["UK.OBIE.CHAPSOut", "UK.OBIE.BalanceTransferOut", "UK.OBIE.MoneyTransferOut"]),
    Amount: amount,
  }),
);

const created = {
  CreationDateTime: dateTime(),
  StatusReason: Type.Optional(statusReasons),
  StatusUpdateDateTime: dateTime(),
};

/** The bodies of variable recurring payments. Source: VRP OpenAPI file. */
export const domesticVrp = {
  initiation: vrpInitiation,
  consentRequest: open(
    { Data: open(requested), Risk: risk },
    { title: "OBDomesticVRPConsentRequest" },
  ),
  consentResponse: open(
    {
      Data: open({
        ConsentId: consentId,
        ...created,
        Status: oneOf(["AWAU", "RJCT", "AUTH", "CANC", "EXPD"]),
        ...requested,
        // the debited account, whether the TPP named it or the customer chose it. Source: V-053
        DebtorAccount: Type.Optional(debtorAccount),
      }),
      Risk: risk,
      ...envelope,
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
        Initiation: vrpInitiation,
        Instruction: vrpInstruction,
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
        Status: oneOf(vrpStatuses),
        ExpectedExecutionDateTime: Type.Optional(dateTime()),
        ExpectedSettlementDateTime: Type.Optional(dateTime()),
        Refund: Type.Optional(refund),
        Charges: Type.Optional(charges),
        Initiation: vrpInitiation,
        Instruction: vrpInstruction,
        DebtorAccount: Type.Optional(debtorAccount),
      }),
      // the responses of other payments do not repeat the risk. Source: V-129
      Risk: risk,
      ...envelope,
    },
    { title: "OBDomesticVRPResponse" },
  ),
};

/** The status of each payment of an order. Source: OBDomesticVRPDetails, V-143. */
export const vrpDetailsResponse = open(
  {
    Data: open({
      PaymentStatus: Type.Optional(
        Type.Array(
          open({
            PaymentTransactionId: text(210),
            Status: oneOf(everyStatus),
            StatusUpdateDateTime: dateTime(),
            StatusDetail: Type.Optional(
              open({
                LocalInstrument: Type.Optional(localInstrument),
                Status: oneOf(everyStatus),
                StatusReason: Type.Optional(Type.String()),
                StatusReasonDescription: Type.Optional(text(256)),
              }),
            ),
          }),
        ),
      ),
    }),
  },
  { title: "OBDomesticVRPDetails" },
);

const confirmed = {
  ConsentId: consentId,
  Reference: Type.Optional(text(35)),
  InstructedAmount: amount,
};

/** Body of the POST that asks whether funds are available. Source: V-150, V-160. */
export const vrpFundsRequest = open(
  { Data: open(confirmed) },
  { title: "OBVRPFundsConfirmationRequest" },
);

/** Response that gives in words whether funds are available. Source: V-150. */
export const vrpFundsResponse = open(
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
);

/** Body of `POST /domestic-vrp-consents`. */
export type VrpConsentRequest = Static<typeof domesticVrp.consentRequest>;
/** Body of `POST /domestic-vrps`. */
export type VrpOrderRequest = Static<typeof domesticVrp.orderRequest>;
/** Body of `POST /domestic-vrp-consents/{ConsentId}/funds-confirmation`. */
export type VrpFundsRequest = Static<typeof vrpFundsRequest>;

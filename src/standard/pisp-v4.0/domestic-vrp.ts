import Type from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { chargeBearer } from "#src/standard/shared/payments/charges.ts";
import { localInstrument } from "#src/standard/shared/payments/initiation.ts";
import { everyStatus, vrpStatuses } from "#src/standard/shared/payments/statuses.ts";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";
import { closedPostalAddress, proxy } from "#src/standard/shared/v4/parties.ts";
import { remittanceInformationSchema } from "#src/standard/shared/v4/remittance-information.ts";
import { vrpAccountMembers, vrpAmount, vrpBodies } from "#src/standard/shared/vrp-bodies.ts";
import { statusReasons } from "./kind-schemas.ts";
import { refund, ultimateCreditor, ultimateDebtor } from "./parties.ts";
import { regulatoryReporting } from "./regulatory-reporting.ts";
import { documentTypes } from "./remittance-information.ts";
import { risk } from "./risk.ts";

// Variable recurring payments have a separate OpenAPI file. Its account names and code lists differ
// in details from those of the other payments.

const account = { ...vrpAccountMembers, Proxy: Type.Optional(proxy) };

/** The account to be debited; its holder's name is optional. Source: V-034. */
const debtorAccount = open(
  { ...account, Name: Type.Optional(text(350)) },
  { title: "OBCashAccountDebtorWithName" },
);

/** The longest name of a creditor's account. Other payments may have longer ones. Source: V-035. */
export const creditorNameLength = 70;

const creditorAccount = open(
  { ...account, Name: text(creditorNameLength) },
  { title: "OBCashAccountCreditor3" },
);

const remittanceInformation = remittanceInformationSchema({
  documentTypes: [...documentTypes, "AROI", "BOLD", "CMCN", "SOAC", "TSUT", "USAR", "VCHR"],
  issuerLength: 35,
  variant: "Vrp",
});

/** The parties that every payment of a consent has. Source: OBDomesticVRPInitiation. */
const initiation = open(
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
const instruction = open(
  {
    InstructionIdentification: text(35),
    EndToEndIdentification: text(35),
    RemittanceInformation: Type.Optional(remittanceInformation),
    LocalInstrument: Type.Optional(localInstrument),
    InstructedAmount: vrpAmount,
    CreditorPostalAddress: Type.Optional(closedPostalAddress),
    CreditorAccount: creditorAccount,
    UltimateCreditor: Type.Optional(ultimateCreditor),
    SupplementaryData: Type.Optional(open({})),
  },
  { title: "OBDomesticVRPInstruction" },
);

const reasons = { StatusReason: Type.Optional(statusReasons) };

/** The bodies of variable recurring payments. Source: VRP OpenAPI file, /domestic-vrp-consents. */
export const domesticVrp = vrpBodies({
  initiation,
  instruction,
  debtorAccount,
  refund,
  risk,
  chargeBearer,
  localInstrument,
  statuses: { consent: ["AWAU", "RJCT", "AUTH", "CANC", "EXPD"], order: vrpStatuses },
  reasons: { consent: reasons, order: reasons },
  envelope,
  detail: {
    status: oneOf(everyStatus),
    ofScheme: {
      Status: oneOf(everyStatus),
      StatusReason: Type.Optional(Type.String()),
      StatusReasonDescription: Type.Optional(text(256)),
    },
  },
});

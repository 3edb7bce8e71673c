import Type from "typebox";
import { links } from "#src/standard/shared/envelope.ts";
import { chargeBearer } from "#src/standard/shared/payments/charges.ts";
import { localInstrument } from "#src/standard/shared/payments/initiation.ts";
import { namespaced, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { vrpAccountMembers, vrpAmount, vrpBodies } from "#src/standard/shared/vrp-bodies.ts";
import { postalAddress } from "./parties.ts";
import { detailReasons, everyDetailWord, vrpOrderWords, vrpReasons } from "./payment-statuses.ts";
import { remittanceInformation } from "./remittance-information.ts";
import { risk } from "./risk.ts";

/**
 * `Links` and `Meta` of responses about variable recurring payments, whose published file has other
 * schemas of these names.
 */
export const envelope = {
  Links: open(links.properties, { title: "LinksVrp" }),
  Meta: open({}, { title: "MetaVrp" }),
};

const account = { ...vrpAccountMembers, Name: text(350) };

/** The account to be debited or to be refunded: the name of its holder is mandatory. */
const debtorAccount = open(account, { title: "OBCashAccountDebtorWithName" });
const creditorAccount = open(account, { title: "OBCashAccountCreditor3" });

/** The parties that every payment of a consent has. Source: OBDomesticVRPInitiation. */
const initiation = open(
  {
    DebtorAccount: Type.Optional(debtorAccount),
    CreditorAccount: Type.Optional(creditorAccount),
    CreditorPostalAddress: Type.Optional(postalAddress),
    RemittanceInformation: Type.Optional(remittanceInformation),
  },
  { title: "OBDomesticVRPInitiation" },
);

/** The instruction for one payment of a consent. Source: OBDomesticVRPInstruction. */
const instruction = open(
  {
    InstructionIdentification: text(35),
    EndToEndIdentification: text(35),
    RemittanceInformation: Type.Optional(remittanceInformation),
    LocalInstrument: Type.Optional(localInstrument),
    InstructedAmount: vrpAmount,
    CreditorPostalAddress: Type.Optional(postalAddress),
    CreditorAccount: creditorAccount,
    SupplementaryData: Type.Optional(open({})),
  },
  { title: "OBDomesticVRPInstruction" },
);

/**
 * The bodies of variable recurring payments. Source: VRP OpenAPI file, /domestic-vrp-consents:
 * v3.1.11.
 */
export const domesticVrpV3 = vrpBodies({
  initiation,
  instruction,
  debtorAccount,
  refund: debtorAccount,
  risk,
  chargeBearer,
  localInstrument,
  statuses: { consent: ["Authorised", "AwaitingAuthorisation", "Rejected"], order: vrpOrderWords },
  reasons: {
    consent: {},
    order: {
      StatusReason: Type.Optional(namespaced(vrpReasons)),
      StatusReasonDescription: Type.Optional(text(256)),
    },
  },
  envelope,
  detail: {
    status: oneOf(everyDetailWord),
    ofScheme: {
      Status: text(128),
      StatusReason: Type.Optional(oneOf(detailReasons)),
      StatusReasonDescription: Type.Optional(text(128)),
    },
  },
});

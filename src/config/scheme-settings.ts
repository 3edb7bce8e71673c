import Type from "typebox";
import { list, secureUrl } from "./forms.ts";

const codes = list("[A-Za-z]+", "codes, separated by commas, or `any`");

/** The settings of the commercial scheme for variable recurring payments. Source: CV-58. */
export const schemeSettings = {
  VRP_SCHEME_LIST_URL: Type.Optional(
    Type.String({
      ...secureUrl,
      description:
        "Where the bank reads the list of the scheme's participants, with the status of each " +
        "(`/v2.1/organisation/mlastatus` of the directory). The host may be in " +
        "REGISTRATION_NETWORKS. Without this setting, only `./aldgate vrp status` changes a " +
        "status.",
      usedBy: "a bank in the commercial scheme",
    }),
  ),
  VRP_SCHEME_CLIENT: Type.Optional(
    Type.String({
      description:
        "JSON file that says how the bank proves who it is when it reads VRP_SCHEME_LIST_URL: " +
        "its client id, certificate and keys at the directory. Without it, the bank sends " +
        "neither a certificate nor a token, as a gateway that adds them needs. See [the " +
        "list](commercial-vrp.md#the-list-of-participants).",
      usedBy: "a bank that reads the list from the directory of Open Banking",
    }),
  ),
  VRP_SCHEME_CONTEXTS: Type.String({
    default:
      "TransferToSelf,EcommerceMerchantInitiatedPayment,FaceToFacePointOfSale,TransferToThirdParty",
    ...codes,
    description:
      "Values of `PaymentContextCode` that a consent of CVRP1 to CVRP3 may have. The default is " +
      "the published list. With `any`, the standard's other values are allowed too.",
    usedBy: "a bank in the commercial scheme, if the list changes",
  }),
  VRP_SCHEME_ACCOUNT_TYPES: Type.String({
    default: "Personal,Business,Charity,Government,ISA",
    ...codes,
    description:
      "Values of `BeneficiaryAccountType` that a consent of CVRP1 to CVRP3 may have. The default " +
      "is the published list. With `any`, the standard's other values are allowed too.",
    usedBy: "a bank in the commercial scheme, if the list changes",
  }),
};

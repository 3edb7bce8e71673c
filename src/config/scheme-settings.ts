import Type from "typebox";

const codes = "^[A-Za-z]+(, ?[A-Za-z]+)*$";

/** The settings of the commercial scheme for variable recurring payments. Source: CV-58. */
export const schemeSettings = {
  VRP_SCHEME_LIST_URL: Type.Optional(
    Type.String({
      pattern: "^https://",
      description:
        "Where the bank reads the list of the scheme's participants, with the status of each " +
        "(`/v2.1/organisation/mlastatus` of the directory). The bank sends no token, so the URL " +
        "is that of a gateway which adds it. The host may be in REGISTRATION_NETWORKS. Without " +
        "this setting, only `./aldgate vrp status` changes a status.",
      usedBy: "a bank in the commercial scheme",
    }),
  ),
  VRP_SCHEME_CONTEXTS: Type.String({
    default:
      "TransferToSelf,EcommerceMerchantInitiatedPayment,FaceToFacePointOfSale,TransferToThirdParty",
    pattern: codes,
    description:
      "Values of `PaymentContextCode` that a consent of CVRP1 to CVRP3 may have. The default is " +
      "the published list. With `any`, the standard's other values are allowed too.",
    usedBy: "a bank in the commercial scheme, if the list changes",
  }),
  VRP_SCHEME_ACCOUNT_TYPES: Type.String({
    default: "Personal,Business,Charity,Government,ISA",
    pattern: codes,
    description:
      "Values of `BeneficiaryAccountType` that a consent of CVRP1 to CVRP3 may have. The default " +
      "is the published list. With `any`, the standard's other values are allowed too.",
    usedBy: "a bank in the commercial scheme, if the list changes",
  }),
};

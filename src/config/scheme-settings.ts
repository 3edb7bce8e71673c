import Type from "typebox";

const codes = "^[A-Za-z]+(, ?[A-Za-z]+)*$";

/** The settings of the commercial scheme for variable recurring payments. Source: CV-58. */
export const schemeSettings = {
  VRP_SCHEME_CONTEXTS: Type.String({
    default:
      "TransferToSelf,EcommerceMerchantInitiatedPayment,FaceToFacePointOfSale,TransferToThirdParty",
    pattern: codes,
    description:
      "Values of `PaymentContextCode` that a consent of CVRP1 to CVRP3 may have. The default is " +
      "the published list. With `any`, the standard's other values are allowed too.",
  }),
  VRP_SCHEME_ACCOUNT_TYPES: Type.String({
    default: "Personal,Business,Charity,Government,ISA",
    pattern: codes,
    description:
      "Values of `BeneficiaryAccountType` that a consent of CVRP1 to CVRP3 may have. The default " +
      "is the published list. With `any`, the standard's other values are allowed too.",
  }),
};

import Type from "typebox";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";

/** The contexts that a new consent of v4.0 may name. Source: D-401-33. */
export const paymentContexts = [
  "BillingGoodsAndServicesInAdvance",
  "BillingGoodsAndServicesInArrears",
  "EcommerceMerchantInitiatedPayment",
  "FaceToFacePointOfSale",
  "TransferToSelf",
  "TransferToThirdParty",
];

/** Contexts of consents that were made under v3; published in v4.0, but not for new ones. */
const deprecatedPaymentContexts = [
  "BillPayment",
  "EcommerceGoods",
  "EcommerceServices",
  "PartyToParty",
  "PispPayee",
  "Other",
];

/** The context of a payment, of which every version publishes all. */
export const paymentContextCode = oneOf([...paymentContexts, ...deprecatedPaymentContexts]);

/** The code of a merchant's trade. Source: OBRisk1. */
export const merchantCategoryCode = Type.String({ minLength: 3, maxLength: 4 });

// biome-ignore format: a code set
/** The type of the beneficiary's account. Source: OBRisk1. */
export const beneficiaryAccountType = oneOf([
  "Business", "BusinessSavingsAccount", "Charity", "Collection", "Corporate", "Ewallet",
  "Government", "Investment", "ISA", "JointPersonal", "Pension", "Personal",
  "PersonalSavingsAccount", "Premier", "Wealth",
]);

/**
 * The facts that affect whether strong customer authentication is needed. Source: PISP profile,
 * OBSCASupportData1.
 */
export const scaSupportData = open(
  {
    RequestedSCAExemptionType: Type.Optional(
      oneOf([
        "BillPayment",
        "ContactlessTravel",
        "EcommerceGoods",
        "EcommerceServices",
        "Kiosk",
        "Parking",
        "PartyToParty",
      ]),
    ),
    AppliedAuthenticationApproach: Type.Optional(oneOf(["CA", "SCA"], { maxLength: 40 })),
    ReferencePaymentOrderId: Type.Optional(text(40)),
  },
  { title: "OBSCASupportData1" },
);

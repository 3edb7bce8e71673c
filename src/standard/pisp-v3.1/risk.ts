import Type from "typebox";
import {
  deprecatedPaymentContexts,
  paymentContexts,
  risk as riskV4,
} from "#src/standard/pisp-v4.0/risk.ts";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { deliveryAddressMembers } from "./parties.ts";

const { MerchantCategoryCode, BeneficiaryAccountType } = riskV4.properties;

/** The TPP's facts for detecting fraud. Source: OBRisk1: v3.1.11. */
export const risk = closed(
  {
    PaymentContextCode: Type.Optional(oneOf([...paymentContexts, ...deprecatedPaymentContexts])),
    MerchantCategoryCode,
    MerchantCustomerIdentification: Type.Optional(text(70)),
    // the published name is misspelt. Source: V-175
    ContractPresentInidicator: Type.Optional(Type.Boolean()),
    BeneficiaryPrepopulatedIndicator: Type.Optional(Type.Boolean()),
    PaymentPurposeCode: Type.Optional(Type.String({ minLength: 3, maxLength: 4 })),
    BeneficiaryAccountType,
    DeliveryAddress: Type.Optional(open(deliveryAddressMembers)),
  },
  { title: "OBRisk1" },
);

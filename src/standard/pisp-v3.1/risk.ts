import Type from "typebox";
import {
  beneficiaryAccountType,
  merchantCategoryCode,
  paymentContextCode,
} from "#src/standard/shared/payments/risk.ts";
import { closed, open, text } from "#src/standard/shared/schema.ts";
import { deliveryAddressMembers } from "./parties.ts";

/** The TPP's facts for detecting fraud. Source: OBRisk1: v3.1.11. */
export const risk = closed(
  {
    PaymentContextCode: Type.Optional(paymentContextCode),
    MerchantCategoryCode: Type.Optional(merchantCategoryCode),
    MerchantCustomerIdentification: Type.Optional(text(70)),
    // the published name is misspelt. Source: V-175
    ContractPresentInidicator: Type.Optional(Type.Boolean()),
    BeneficiaryPrepopulatedIndicator: Type.Optional(Type.Boolean()),
    PaymentPurposeCode: Type.Optional(Type.String({ minLength: 3, maxLength: 4 })),
    BeneficiaryAccountType: Type.Optional(beneficiaryAccountType),
    DeliveryAddress: Type.Optional(open(deliveryAddressMembers)),
  },
  { title: "OBRisk1" },
);

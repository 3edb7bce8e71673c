import Type from "typebox";
import {
  beneficiaryAccountType,
  merchantCategoryCode,
  paymentContextCode,
} from "#src/standard/shared/payments/risk.ts";
import { categoryPurposeCodes, purposeCodes } from "#src/standard/shared/purpose-codes.ts";
import { closed, oneOf, text } from "#src/standard/shared/schema.ts";
import { closedPostalAddress as postalAddress } from "#src/standard/shared/v4/parties.ts";

/** The TPP's facts for detecting fraud; it may be `{}`, but not left out. Source: P-061. */
export const risk = closed(
  {
    PaymentContextCode: Type.Optional(paymentContextCode),
    MerchantCategoryCode: Type.Optional(merchantCategoryCode),
    MerchantCustomerIdentification: Type.Optional(text(70)),
    ContractPresentIndicator: Type.Optional(Type.Boolean()),
    BeneficiaryPrepopulatedIndicator: Type.Optional(Type.Boolean()),
    PaymentPurposeCode: Type.Optional(oneOf(purposeCodes, { minLength: 1, maxLength: 4 })),
    CategoryPurposeCode: Type.Optional(oneOf(categoryPurposeCodes)),
    BeneficiaryAccountType: Type.Optional(beneficiaryAccountType),
    DeliveryAddress: Type.Optional(postalAddress),
  },
  { title: "OBRisk1" },
);

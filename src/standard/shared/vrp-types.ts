/** Payments between a customer's own accounts, which need no contract. Source: V-006. */
export const sweepingType = "UK.OBIE.VRPType.Sweeping";

/** The types of the commercial scheme, which the scheme switches on one by one. Source: B-181. */
export const schemeVrpTypes = [
  "UK.OBIE.VRPType.CVRP1",
  "UK.OBIE.VRPType.CVRP2",
  "UK.OBIE.VRPType.CVRP3",
] as const;

/** The statuses of an organisation in the commercial scheme. Source: CV-18. */
export const schemeStatuses = ["Active", "Suspended", "Revoked"] as const;

/** A status of an organisation in the commercial scheme. */
export type SchemeStatus = (typeof schemeStatuses)[number];

/** Whether a TPP with this status may not use the scheme; null if it is not known. */
export const isShutOut = (status: SchemeStatus | null): status is "Suspended" | "Revoked" =>
  status === "Suspended" || status === "Revoked";

/** Whether a type is one of the commercial scheme. */
export const isOfScheme = (type: string): boolean => schemeVrpTypes.some((one) => one === type);

/** The types of payments for which the bank needs a contract with the TPP. Source: V-009. */
export const commercialVrpTypes = ["UK.OBIE.VRPType.Other", ...schemeVrpTypes] as const;

/** The customer does not take part in a payment. Source: V-011. */
export const withoutAuthentication = "UK.OBIE.SCANotRequired";

/** The TPP authenticates the customer for each payment. Source: V-011. */
export const authenticatedByTpp = "UK.OBIE.SCA";

/** The members of Risk that the scheme expects, although the schema does not. Source: CV-75. */
export const riskIndicators = [
  "PaymentContextCode",
  "PaymentPurposeCode",
  "MerchantCategoryCode",
  "MerchantCustomerIdentification",
  "ContractPresentIndicator",
  "BeneficiaryPrepopulatedIndicator",
  "CategoryPurposeCode",
] as const;

/** A member of Risk that the scheme expects. */
export type RiskIndicator = (typeof riskIndicators)[number];

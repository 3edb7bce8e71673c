/** Payments between a customer's own accounts, which need no contract. Source: V-006. */
export const sweepingType = "UK.OBIE.VRPType.Sweeping";

/** The types of the commercial scheme, which the scheme switches on one by one. Source: B-181. */
export const schemeVrpTypes = [
  "UK.OBIE.VRPType.CVRP1",
  "UK.OBIE.VRPType.CVRP2",
  "UK.OBIE.VRPType.CVRP3",
] as const;

/** The types of payments for which the bank needs a contract with the TPP. Source: V-009. */
export const commercialVrpTypes = ["UK.OBIE.VRPType.Other", ...schemeVrpTypes] as const;

/** The customer does not take part in a payment. Source: V-011. */
export const withoutAuthentication = "UK.OBIE.SCANotRequired";

/** The TPP authenticates the customer for each payment. Source: V-011. */
export const authenticatedByTpp = "UK.OBIE.SCA";

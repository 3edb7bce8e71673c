import Type from "typebox";
import { closedAmount } from "#src/standard/shared/amount.ts";
import { closed, namespaced, oneOf } from "#src/standard/shared/schema.ts";

/** The bearer of a payment's charges. Source: OBInternalChargeBearerType1Code. */
export const chargeBearer = oneOf([
  "BorneByCreditor",
  "BorneByDebtor",
  "FollowingServiceLevel",
  "Shared",
]);

/** The bank's charges, in consents and orders. Source: PISP profile, OBCharge2. */
export const charges = Type.Array(
  closed({
    ChargeBearer: chargeBearer,
    Type: namespaced(["UK.OBIE.CHAPSOut"]),
    Amount: closedAmount,
  }),
);

import Type from "typebox";
import { closedAmount } from "#src/standard/shared/amount.ts";
import { closed, namespaced, oneOf } from "#src/standard/shared/schema.ts";

/** Who bears what a payment costs. Source: OBInternalChargeBearerType1Code. */
export const chargeBearer = oneOf([
  "BorneByCreditor",
  "BorneByDebtor",
  "FollowingServiceLevel",
  "Shared",
]);

/** What the bank charges, in consents and orders. Source: PISP profile, OBCharge2. */
export const charges = Type.Array(
  closed({
    ChargeBearer: chargeBearer,
    Type: namespaced(["UK.OBIE.CHAPSOut"]),
    Amount: closedAmount,
  }),
);

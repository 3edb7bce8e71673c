import Type, { type TProperties, type TSchema } from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, open, text } from "#src/standard/shared/schema.ts";
import { accountId, supplementaryData } from "./parties.ts";

/** Members of a standing order that every version has. */
export const standingOrderMembers = {
  AccountId: accountId,
  StandingOrderId: Type.Optional(text(40)),
  NextPaymentDateTime: Type.Optional(dateTime()),
  LastPaymentDateTime: Type.Optional(dateTime()),
  NumberOfPayments: Type.Optional(text(35)),
  FirstPaymentAmount: Type.Optional(openAmount),
  NextPaymentAmount: Type.Optional(openAmount),
  LastPaymentAmount: Type.Optional(openAmount),
  FinalPaymentAmount: Type.Optional(openAmount),
  SupplementaryData: Type.Optional(supplementaryData),
};

/**
 * The schemas of standing orders in a version, from the members that ReadStandingOrdersBasic shows
 * and the creditor that Detail adds. Source: OBReadStandingOrder6, A-162, E-054.
 */
export const standingOrderSchemas = <
  Basic extends TProperties,
  Agent extends TSchema,
  Account extends TSchema,
>(
  basicMembers: Basic,
  agent: Agent,
  account: Account,
) => ({
  basic: closed(basicMembers, { title: "OBStandingOrder6Basic" }),
  detail: closed(
    { ...basicMembers, CreditorAgent: Type.Optional(agent), CreditorAccount: account },
    { title: "OBStandingOrder6Detail" },
  ),
  read: closed(
    {
      Data: open({
        StandingOrder: Type.Optional(
          Type.Array(
            closed(
              {
                ...basicMembers,
                CreditorAgent: Type.Optional(agent),
                CreditorAccount: Type.Optional(account),
              },
              { title: "OBStandingOrder6" },
            ),
          ),
        ),
      }),
      ...envelope,
    },
    { title: "OBReadStandingOrder6" },
  ),
});

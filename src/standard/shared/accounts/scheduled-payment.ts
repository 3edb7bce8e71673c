import Type, { type TSchema } from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId } from "./parties.ts";

const basicMembers = {
  AccountId: accountId,
  ScheduledPaymentId: Type.Optional(text(40)),
  ScheduledPaymentDateTime: dateTime(),
  ScheduledType: oneOf(["Arrival", "Execution"]),
  Reference: Type.Optional(text(35)),
  DebtorReference: Type.Optional(text(35)),
  InstructedAmount: openAmount,
};

/** The schemas of scheduled payments in a version. Source: OBReadScheduledPayment3, E-055. */
export const scheduledPaymentSchemas = <Agent extends TSchema, Account extends TSchema>(
  agent: Agent,
  account: Account,
) => ({
  basic: closed(basicMembers, { title: "OBScheduledPayment3Basic" }),
  detail: closed(
    { ...basicMembers, CreditorAgent: Type.Optional(agent), CreditorAccount: account },
    { title: "OBScheduledPayment3Detail" },
  ),
  read: closed(
    {
      Data: open({
        ScheduledPayment: Type.Optional(
          Type.Array(
            closed(
              {
                ...basicMembers,
                CreditorAgent: Type.Optional(agent),
                CreditorAccount: Type.Optional(account),
              },
              { title: "OBScheduledPayment3" },
            ),
          ),
        ),
      }),
      ...envelope,
    },
    { title: "OBReadScheduledPayment3" },
  ),
});

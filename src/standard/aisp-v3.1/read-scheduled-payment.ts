import Type, { type Static } from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId, namedAccount, namedAgent } from "./parties.ts";

const basicMembers = {
  AccountId: accountId,
  ScheduledPaymentId: Type.Optional(text(40)),
  ScheduledPaymentDateTime: dateTime(),
  ScheduledType: oneOf(["Arrival", "Execution"]),
  Reference: Type.Optional(text(35)),
  DebtorReference: Type.Optional(text(35)),
  InstructedAmount: openAmount,
};

/** A future payment without ReadScheduledPaymentsDetail. Source: OBScheduledPayment3Basic. */
export const scheduledPaymentBasic = closed(basicMembers, { title: "OBScheduledPayment3Basic" });

/** The same with ReadScheduledPaymentsDetail. Source: OBScheduledPayment3Detail, digest 3.12. */
export const scheduledPaymentDetail = closed(
  { ...basicMembers, CreditorAgent: Type.Optional(namedAgent), CreditorAccount: namedAccount },
  { title: "OBScheduledPayment3Detail" },
);

const scheduledPayment = closed(
  {
    ...basicMembers,
    CreditorAgent: Type.Optional(namedAgent),
    CreditorAccount: Type.Optional(namedAccount),
  },
  { title: "OBScheduledPayment3" },
);

/** Body of `GET /accounts/{AccountId}/scheduled-payments`. Source: OBReadScheduledPayment3. */
export const readScheduledPayment = closed(
  { Data: open({ ScheduledPayment: Type.Optional(Type.Array(scheduledPayment)) }), ...envelope },
  { title: "OBReadScheduledPayment3" },
);

/** One scheduled payment of it. */
export type ScheduledPaymentItem = Static<typeof scheduledPayment>;

import Type, { type Static } from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId, namedAccount, namedAgent, supplementaryData } from "./parties.ts";

/** When a standing order is paid, in the words of v3.1. Source: digest 3.7. */
export const standingOrderFrequency = Type.String({
  pattern:
    "^(NotKnown)$|^(EvryDay)$|^(EvryWorkgDay)$|" +
    "^(IntrvlDay:((0[2-9])|([1-2][0-9])|3[0-1]))$|^(IntrvlWkDay:0[1-9]:0[1-7])$|" +
    "^(WkInMnthDay:0[1-5]:0[1-7])$|" +
    "^(IntrvlMnthDay:(0[1-6]|12|24):(-0[1-5]|0[1-9]|[12][0-9]|3[01]))$|" +
    "^(QtrDay:(ENGLISH|SCOTTISH|RECEIVED))$",
});

const basicMembers = {
  AccountId: accountId,
  StandingOrderId: Type.Optional(text(40)),
  Frequency: standingOrderFrequency,
  Reference: Type.Optional(text(35)),
  FirstPaymentDateTime: Type.Optional(dateTime()),
  NextPaymentDateTime: Type.Optional(dateTime()),
  LastPaymentDateTime: Type.Optional(dateTime()),
  FinalPaymentDateTime: Type.Optional(dateTime()),
  NumberOfPayments: Type.Optional(text(35)),
  StandingOrderStatusCode: Type.Optional(oneOf(["Active", "Inactive"])),
  FirstPaymentAmount: Type.Optional(openAmount),
  NextPaymentAmount: Type.Optional(openAmount),
  LastPaymentAmount: Type.Optional(openAmount),
  FinalPaymentAmount: Type.Optional(openAmount),
  SupplementaryData: Type.Optional(supplementaryData),
};

/** A standing order without ReadStandingOrdersDetail. Source: OBStandingOrder6Basic, digest 3.7. */
export const standingOrderBasic = closed(basicMembers, { title: "OBStandingOrder6Basic" });

/** A standing order with ReadStandingOrdersDetail. Source: OBStandingOrder6Detail, digest 3.7. */
export const standingOrderDetail = closed(
  { ...basicMembers, CreditorAgent: Type.Optional(namedAgent), CreditorAccount: namedAccount },
  { title: "OBStandingOrder6Detail" },
);

const standingOrder = closed(
  {
    ...basicMembers,
    CreditorAgent: Type.Optional(namedAgent),
    CreditorAccount: Type.Optional(namedAccount),
  },
  { title: "OBStandingOrder6" },
);

/** Body of `GET /accounts/{AccountId}/standing-orders`. Source: OBReadStandingOrder6. */
export const readStandingOrder = closed(
  { Data: open({ StandingOrder: Type.Optional(Type.Array(standingOrder)) }), ...envelope },
  { title: "OBReadStandingOrder6" },
);

/** One standing order of it. */
export type StandingOrderItem = Static<typeof standingOrder>;

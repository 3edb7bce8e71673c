import Type from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { accountId } from "./parties.ts";
import { productRate } from "./product-parts.ts";

/** An offer as it is shown. */
export const offer = open({
  AccountId: accountId,
  OfferId: Type.Optional(text(40)),
  OfferType: Type.Optional(
    oneOf(["BalanceTransfer", "LimitIncrease", "MoneyTransfer", "Other", "PromotionalRate"]),
  ),
  Description: Type.Optional(text(500)),
  StartDateTime: Type.Optional(dateTime()),
  EndDateTime: Type.Optional(dateTime()),
  Rate: Type.Optional(productRate),
  Value: Type.Optional(Type.Integer()),
  Term: Type.Optional(text(500)),
  URL: Type.Optional(text(256)),
  Amount: Type.Optional(openAmount),
  Fee: Type.Optional(openAmount),
});

/** Body of `GET /accounts/{AccountId}/offers`, in every version. Source: OBReadOffer1. */
export const readOffer = closed(
  { Data: open({ Offer: Type.Optional(Type.Array(offer)) }), ...envelope },
  { title: "OBReadOffer1" },
);

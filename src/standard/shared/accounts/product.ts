import Type, { type Static, type TSchema } from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, oneOf, open, text } from "#src/standard/shared/schema.ts";
import { businessCurrentAccount } from "./business-current-account.ts";
import { otherProductType } from "./other-product-type.ts";
import { accountId } from "./parties.ts";
import { personalCurrentAccount } from "./personal-current-account.ts";

/** The body of `GET /accounts/{AccountId}/product`. Source: OBReadProduct2. */
export const readProductOf = <Other extends TSchema>(otherProductType: Other) =>
  closed(
    {
      Data: open({
        Product: Type.Optional(
          Type.Array(
            open({
              AccountId: accountId,
              ProductName: Type.Optional(text(350)),
              ProductId: Type.Optional(text(40)),
              SecondaryProductId: Type.Optional(text(70)),
              ProductType: oneOf([
                "BusinessCurrentAccount",
                "CommercialCreditCard",
                "Other",
                "PersonalCurrentAccount",
                "SMELoan",
              ]),
              MarketingStateId: Type.Optional(text(35)),
              OtherProductType: Type.Optional(otherProductType),
              BCA: Type.Optional(businessCurrentAccount),
              PCA: Type.Optional(personalCurrentAccount),
            }),
          ),
        ),
      }),
      ...envelope,
    },
    { title: "OBReadProduct2" },
  );

/** The same with the schema of other products as it is meant. */
export const readProduct = readProductOf(otherProductType);

/** The product of one account. */
export type Product = NonNullable<Static<typeof readProduct>["Data"]["Product"]>[number];

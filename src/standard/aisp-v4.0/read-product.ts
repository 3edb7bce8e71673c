import type { Static } from "typebox";
import { otherProductType } from "#src/standard/shared/accounts/other-product-type.ts";
import { readProductOf } from "#src/standard/shared/accounts/product.ts";

/** Body of `GET /accounts/{AccountId}/product`. Source: OBReadProduct2. */
export const readProduct = readProductOf(otherProductType);

/** The product of one account. */
export type Product = NonNullable<Static<typeof readProduct>["Data"]["Product"]>[number];

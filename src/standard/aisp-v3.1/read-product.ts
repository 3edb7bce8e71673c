import { otherProductType } from "#src/standard/shared/accounts/other-product-type.ts";
import { readProductOf } from "#src/standard/shared/accounts/product.ts";
import { fourLetterPattern } from "#src/standard/shared/accounts/product-parts.ts";
import { replacePattern } from "#src/standard/shared/schema.ts";

// v3.1 publishes the pattern with a doubled backslash, which no code fits. Source: E-065
const published = String.raw`^\\w{0,4}$`;

/** Body of `GET /accounts/{AccountId}/product`. Source: OBReadProduct2. */
export const readProduct = readProductOf(
  replacePattern(otherProductType, fourLetterPattern, published),
);

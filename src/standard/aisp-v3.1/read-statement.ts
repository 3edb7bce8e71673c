import { productRate } from "#src/standard/shared/accounts/product-parts.ts";
import {
  feeTypes,
  interestTypes,
  statementSchemas,
} from "#src/standard/shared/accounts/statement.ts";
import { balanceSubTypes } from "./read-balance.ts";

const schemas = statementSchemas({
  subTypes: balanceSubTypes,
  feeTypes,
  interestTypes,
  rate: productRate,
});

/** Body of `GET /accounts/{AccountId}/statements`. Source: OBReadStatement2. */
export const readStatement = schemas.read;

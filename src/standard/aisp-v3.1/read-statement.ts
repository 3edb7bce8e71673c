import type { Static } from "typebox";
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

/** A statement without ReadStatementsDetail. Source: OBStatement2Basic. */
export const statementBasic = schemas.basic;

/** A statement with ReadStatementsDetail. Source: OBStatement2Detail. */
export const statementDetail = schemas.detail;

/** Body of `GET /accounts/{AccountId}/statements`. Source: OBReadStatement2. */
export const readStatement = schemas.read;

/** One statement in that body. */
export type Statement = NonNullable<Static<typeof readStatement>["Data"]["Statement"]>[number];

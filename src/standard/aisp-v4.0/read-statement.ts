import { limitedRate } from "#src/standard/shared/accounts/product-parts.ts";
import {
  feeTypes,
  interestTypes,
  obie,
  statementSchemas,
} from "#src/standard/shared/accounts/statement.ts";
import { balanceSubTypes } from "./read-balance.ts";

// Source: E-062, E-063, E-064.
const schemas = statementSchemas({
  subTypes: balanceSubTypes,
  feeTypes: [...feeTypes, ...obie("InstalmentPlan ReturnedPayment")],
  interestTypes: [...interestTypes, ...obie("InstalmentPlan MoneyTransfer")],
  rate: limitedRate,
});

/** Body of `GET /accounts/{AccountId}/statements`. Source: OBReadStatement2. */
export const readStatement = schemas.read;

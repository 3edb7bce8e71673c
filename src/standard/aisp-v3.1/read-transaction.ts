import Type from "typebox";
import {
  basicTransactionMembers,
  detailTransactionMembers,
  readTransactionOf,
} from "#src/standard/shared/accounts/transaction.ts";
import { closed } from "#src/standard/shared/schema.ts";
import { knownAccount, knownAgent } from "./parties.ts";
import { balanceTypes } from "./read-balance.ts";

const basicMembers = basicTransactionMembers(["Booked", "Pending", "Rejected"]);

const detailMembers = {
  ...detailTransactionMembers(balanceTypes),
  CreditorAgent: Type.Optional(knownAgent),
  CreditorAccount: Type.Optional(knownAccount),
  DebtorAgent: Type.Optional(knownAgent),
  DebtorAccount: Type.Optional(knownAccount),
};

/** A transaction without ReadTransactionsDetail. Source: OBTransaction6Basic, A-170. */
export const transactionBasic = closed(basicMembers, { title: "OBTransaction6Basic" });

/** A transaction with ReadTransactionsDetail. Source: OBTransaction6Detail, A-171. */
export const transactionDetail = closed(
  { ...basicMembers, ...detailMembers },
  { title: "OBTransaction6Detail" },
);

/** Body of `GET /accounts/{AccountId}/transactions`. Source: OBReadTransaction6. */
export const readTransaction = readTransactionOf({ ...basicMembers, ...detailMembers });

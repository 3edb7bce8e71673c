import { readBalanceOf } from "#src/standard/shared/accounts/balance.ts";

/** Kinds of balance; v4.0 has none for cleared balances. Source: OBBalanceType1Code, E-032. */
export const balanceTypes = [
  "CLAV",
  "CLBD",
  "FWAV",
  "INFO",
  "ITAV",
  "ITBD",
  "OPAV",
  "OPBD",
  "PRCD",
  "XPCD",
] as const;

/** A kind of balance. */
export type BalanceType = (typeof balanceTypes)[number];

/** The two currencies of a wallet. Source: OBExternalBalanceSubType1Code, E-032. */
export const balanceSubTypes = ["BCUR", "LCUR"] as const;

/** Body of `GET /accounts/{AccountId}/balances`. Source: OBReadBalance1. */
export const readBalance = readBalanceOf({ types: balanceTypes, subTypes: balanceSubTypes });

import { readBalanceOf } from "#src/standard/shared/accounts/balance.ts";

/** Kinds of balance. Source: OBBalanceType1Code, A-155. */
export const balanceTypes = [
  "ClosingAvailable",
  "ClosingBooked",
  "ClosingCleared",
  "Expected",
  "ForwardAvailable",
  "Information",
  "InterimAvailable",
  "InterimBooked",
  "InterimCleared",
  "OpeningAvailable",
  "OpeningBooked",
  "OpeningCleared",
  "PreviouslyClosedBooked",
] as const;

/** The two currencies of a wallet. Source: OBExternalBalanceSubType1Code. */
export const balanceSubTypes = ["BaseCurrency", "LocalCurrency"] as const;

/** Body of `GET /accounts/{AccountId}/balances`. Source: OBReadBalance1. */
export const readBalance = readBalanceOf({ types: balanceTypes, subTypes: balanceSubTypes });

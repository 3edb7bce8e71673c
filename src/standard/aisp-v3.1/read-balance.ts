import Type, { type Static } from "typebox";
import { amountText, currencyCode, openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open } from "#src/standard/shared/schema.ts";
import { accountId, creditDebitIndicator } from "./parties.ts";

/** Which balance it is. Source: OBBalanceType1Code, digest 3.3. */
export const balanceType = oneOf([
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
]);

const walletAmount = open({
  Amount: amountText,
  Currency: currencyCode,
  SubType: Type.Optional(oneOf(["BaseCurrency", "LocalCurrency"])),
});

const creditLine = open({
  Included: Type.Boolean(),
  Type: Type.Optional(oneOf(["Available", "Credit", "Emergency", "Pre-Agreed", "Temporary"])),
  Amount: Type.Optional(openAmount),
});

const balance = open({
  AccountId: accountId,
  CreditDebitIndicator: creditDebitIndicator,
  Type: balanceType,
  DateTime: dateTime(),
  Amount: walletAmount,
  CreditLine: Type.Optional(Type.Array(creditLine)),
  LocalAmount: Type.Optional(walletAmount),
});

/** Body of `GET /accounts/{AccountId}/balances`. Source: OBReadBalance1. */
export const readBalance = closed(
  {
    Data: open({
      Balance: Type.Array(balance, { minItems: 1 }),
      TotalValue: Type.Optional(openAmount),
    }),
    ...envelope,
  },
  { title: "OBReadBalance1" },
);

/** One balance of it. */
export type Balance = Static<typeof balance>;

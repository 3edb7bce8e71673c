import Type from "typebox";
import { amountText, currencyCode, openAmount } from "#src/standard/shared/amount.ts";
import { envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open } from "#src/standard/shared/schema.ts";
import { accountId, creditDebitIndicator } from "./parties.ts";

/** An amount of a wallet, which may contain a further currency besides its own. */
export const walletAmountOf = <SubType extends string>(subTypes: readonly SubType[]) =>
  open({
    Amount: amountText,
    Currency: currencyCode,
    SubType: Type.Optional(oneOf(subTypes)),
  });

const creditLine = open({
  Included: Type.Boolean(),
  Type: Type.Optional(oneOf(["Available", "Credit", "Emergency", "Pre-Agreed", "Temporary"])),
  Amount: Type.Optional(openAmount),
});

/** The body of `GET …/balances` in a version's words. Source: OBReadBalance1. */
export const readBalanceOf = <BalanceType extends string, SubType extends string>(words: {
  types: readonly BalanceType[];
  subTypes: readonly SubType[];
}) =>
  closed(
    {
      Data: open({
        Balance: Type.Array(
          open({
            AccountId: accountId,
            CreditDebitIndicator: creditDebitIndicator,
            Type: oneOf(words.types),
            DateTime: dateTime(),
            Amount: walletAmountOf(words.subTypes),
            CreditLine: Type.Optional(Type.Array(creditLine)),
            LocalAmount: Type.Optional(walletAmountOf(words.subTypes)),
          }),
          { minItems: 1 },
        ),
        TotalValue: Type.Optional(openAmount),
      }),
      ...envelope,
    },
    { title: "OBReadBalance1" },
  );

import { formatAmount } from "#src/lib/money.ts";
import type { CurrencyKind } from "#src/standard/shared/accounts/facts.ts";

/** An amount in the standard's format; `amountMinor` is not negative. */
export const amount = (amountMinor: bigint, currency: string) => ({
  Amount: formatAmount(amountMinor, currency),
  Currency: currency,
});

/** An amount with the direction given by its sign; zero is a Credit. Source: A-156. */
export const signedAmount = (amountMinor: bigint, currency: string) => ({
  CreditDebitIndicator: amountMinor < 0n ? ("Debit" as const) : ("Credit" as const),
  Amount: amount(amountMinor < 0n ? -amountMinor : amountMinor, currency),
});

/** Adds the kind of currency to an amount, in a version's words, if the bank has stated it. */
export const withSubType = <Signed extends { Amount: object }, SubType extends string>(
  signed: Signed,
  { currencyKind }: { currencyKind: CurrencyKind | null },
  subTypes: Readonly<Record<CurrencyKind, SubType>>,
) =>
  currencyKind === null
    ? signed
    : { ...signed, Amount: { ...signed.Amount, SubType: subTypes[currencyKind] } };

import type { StoredLocalAmount } from "#src/account-store/balances.ts";
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

/** The words of a version for kinds of currency. Source: E-032, E-062. */
export type SubTypes<SubType extends string> = Readonly<Record<CurrencyKind, SubType>>;

/** Adds the kind of currency to an amount, in a version's words, if the bank has stated it. */
export const withSubType = <Signed extends { Amount: object }, SubType extends string>(
  signed: Signed,
  { currencyKind }: { currencyKind: CurrencyKind | null },
  subTypes: SubTypes<SubType>,
) =>
  currencyKind === null
    ? signed
    : { ...signed, Amount: { ...signed.Amount, SubType: subTypes[currencyKind] } };

/** A `LocalAmount`: an amount in another currency, if the bank states one. */
export const localAmountOf = <SubType extends string>(
  local: StoredLocalAmount | undefined,
  subTypes: SubTypes<SubType>,
) =>
  local === undefined
    ? {}
    : {
        LocalAmount: {
          ...amount(BigInt(local.amountMinor), local.currency),
          ...(local.currencyKind ? { SubType: subTypes[local.currencyKind] } : {}),
        },
      };

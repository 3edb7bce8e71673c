import type { BankCharge } from "#src/bank/port.ts";
import { formatAmount, type Money } from "#src/lib/money.ts";

// Parts of responses that every version of the standard writes in the same way.

/** Renders an amount. */
const renderAmount = ({ amountMinor, currency }: Money) => ({
  Amount: formatAmount(amountMinor, currency),
  Currency: currency,
});

/** Renders the bank's charges: an empty list if there are none. */
export const renderCharges = (charges: readonly BankCharge[] = []): object[] =>
  charges.map(({ chargeBearer, type, amount }) => ({
    ChargeBearer: chargeBearer,
    Type: type,
    Amount: renderAmount(amount),
  }));

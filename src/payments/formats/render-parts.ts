import type { BankCharge } from "#src/bank/port.ts";
import { formatAmount, type Money } from "#src/lib/money.ts";
import type { ShownAccount } from "#src/payments/order/payment-order.ts";

// Parts of responses that every version of the standard writes in the same way.

/** Renders an account, with the members that are given. */
export const renderAccount = ({
  schemeName,
  identification,
  name = null,
  secondaryIdentification = null,
}: ShownAccount): object => ({
  ...(schemeName === undefined ? {} : { SchemeName: schemeName }),
  ...(identification === undefined ? {} : { Identification: identification }),
  ...(name === null ? {} : { Name: name }),
  ...(secondaryIdentification === null ? {} : { SecondaryIdentification: secondaryIdentification }),
});

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

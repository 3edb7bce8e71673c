// The second bank's module, which also sends the transaction of each payment that it has executed.
// Like a real core's, the transaction has an id of its own and does not repeat the payment's.
import type { TransactionFact } from "#src/account-store/transaction.ts";
import type { Bank, PaymentInstruction } from "#src/bank/port.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";
import * as core from "./core.ts";

/** The customers that a sandbox may log in. */
export const testCustomers = core.testCustomers;

/** Returns the code of a challenge, so that a sandbox can answer it. */
export const testCode = core.testCode;

let entries = 0;

const transactionOf = ({ debtorAccountId, amount }: PaymentInstruction): TransactionFact => {
  entries += 1;
  return {
    version: 1n,
    accountId: debtorAccountId,
    transactionId: `second-debit-${entries}`,
    indicator: "Debit",
    status: "Booked",
    bookedAt: Temporal.Now.instant(),
    valueAt: null,
    amount,
    isoCode: "PMNT-ICDT-DMCT",
    bankCode: null,
    reference: null,
    information: "A payment",
    card: null,
    merchant: null,
    counterparty: null,
    balance: null,
    particulars: null,
    bookingId: null,
  };
};

/** Creates the core. */
export async function createBank(context: BankContext): Promise<Bank> {
  const bank = await core.createBank(context);
  return {
    ...bank,
    async execute(payments) {
      const outcomes = await bank.execute(payments);
      const settled = payments.filter((_, index) => outcomes[index]?.state === "settled");
      await context.feed.apply({ transactions: settled.map(transactionOf) });
      return outcomes;
    },
  };
}

import type { AccountReference, InternationalTerms } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";
import type { Occurrence } from "#src/payments/schedule/schedule.ts";

/** One payment of an order, before it has an id. */
export type PaymentDraft = {
  /** The debit, without the charge. */
  amount: Money;
  /** The bank's charge to the debtor, in the same currency. */
  chargeMinor: bigint;
  /** When the payment is to be executed; null means immediately. */
  executeAt: Temporal.Instant | null;
  creditor: AccountReference;
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  /** For a payment of a schedule: its scheduled date, and whether it is the last one. */
  occurrence?: Pick<Occurrence, "date" | "isLast">;
  /**
   * For international payments: `amount` may be in another currency, and the charges are in here.
   */
  international?: InternationalTerms;
};

import { Big } from "big.js";
import type { BankCharge } from "#src/bank/port.ts";
import type { CurrencyTotal } from "#src/consents/terms.ts";
import { currencyExponent, formatAmount } from "#src/lib/money.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";

/** The totals of a file, counted payment by payment. */
export class FileTotals {
  #sum = new Big(0);
  #decimals = 0;
  #abroad = 0;
  readonly #totals = new Map<string, CurrencyTotal>();
  readonly #charges = new Map<string, BankCharge>();
  #first: Temporal.Instant | null | undefined;
  #last: Temporal.Instant | null = null;

  /** Counts a payment; returns its amount as a decimal. */
  add({ amount, executeAt, international }: PaymentDraft, charges: readonly BankCharge[]): Big {
    const { amountMinor, currency } = amount;
    const decimal = new Big(formatAmount(amountMinor, currency));
    this.#sum = this.#sum.plus(decimal);
    this.#decimals = Math.max(this.#decimals, currencyExponent(currency));
    if (international) this.#abroad += 1;
    const before = this.#totals.get(currency);
    this.#totals.set(currency, {
      currency,
      amountMinor: (before?.amountMinor ?? 0n) + amountMinor,
      count: (before?.count ?? 0) + 1,
    });
    for (const charge of charges) this.#addCharge(charge);
    this.#addDay(executeAt);
    return decimal;
  }

  /** The sum of the amounts of all currencies. */
  get sum(): Big {
    return this.#sum;
  }

  /** The sum as text, with the decimals of the currency that has the most. */
  get sumText(): string {
    return this.#sum.toFixed(this.#decimals);
  }

  /** The number of payments that go abroad or are exchanged. */
  get abroad(): number {
    return this.#abroad;
  }

  /** The totals per ordered currency, in the order of first appearance. */
  get totals(): CurrencyTotal[] {
    return [...this.#totals.values()];
  }

  /** The charges of all payments, one per type and bearer. */
  get charges(): BankCharge[] {
    return [...this.#charges.values()];
  }

  /** The first and the last requested payment date; null means immediately. */
  get days(): { firstDay: Temporal.Instant | null; lastDay: Temporal.Instant | null } {
    return { firstDay: this.#first ?? null, lastDay: this.#last };
  }

  #addCharge(charge: BankCharge): void {
    const { currency } = charge.amount;
    const key = `${charge.chargeBearer} ${charge.type} ${currency}`;
    const before = this.#charges.get(key)?.amount.amountMinor ?? 0n;
    const amountMinor = before + charge.amount.amountMinor;
    this.#charges.set(key, { ...charge, amount: { amountMinor, currency } });
  }

  #addDay(day: Temporal.Instant | null): void {
    if (this.#first === undefined || day === null || isBefore(day, this.#first)) this.#first = day;
    if (day !== null && (this.#last === null || isBefore(this.#last, day))) this.#last = day;
  }
}

const isBefore = (day: Temporal.Instant, other: Temporal.Instant | null): boolean =>
  other !== null && Temporal.Instant.compare(day, other) < 0;

import {
  fromInternationalRecord,
  type InternationalRecord,
} from "#src/bank/international-record.ts";
import type { AccountReference, PaymentInstruction, Reason } from "#src/bank/port.ts";
import type { PricedInstruction } from "./international-entries.ts";
import type { Booking, OwnParty } from "./payment-entries.ts";
import type { PlannedReturn } from "./planned-returns.ts";
import { reason, reasonTexts } from "./reasons.ts";
import type { SentPayment } from "./scheme.ts";

/** The states of a payment. */
export type PaymentState = "reserved" | "pending" | "settled" | "refused" | "returned" | "released";

/** The bank's record of a payment: a row of `bank_payment`. */
export type BankPayment = {
  payment_id: string;
  state: PaymentState;
  reason_code: string | null;
  reason_text: string | null;
  answer: "accept" | "acceptWithoutPosting" | "refuse" | null;
  /** When the answer arrives; of a reserved payment, the end of a review. */
  answer_at: Temporal.Instant | null;
  debtor_account_id: string;
  amount_minor: bigint;
  charge_minor: bigint;
  currency: string;
  creditor: AccountReference;
  end_to_end_id: string | null;
  reference: string | null;
  local_instrument: string | null;
  /** Null, like the columns after it, for a domestic payment in the account's currency. */
  international: InternationalRecord | null;
  /** Its value in the transfer currency; part of this may be deducted and not sent. */
  transfer_minor: bigint | null;
  transfer_currency: string | null;
  deducted_minor: bigint;
  exchange_rate: string | null;
};

/** A transition of a payment: its new record, and the booking that goes with it. */
export type LedgerMove = {
  paymentId: string;
  state: PaymentState;
  reason?: Reason;
  answer?: BankPayment["answer"];
  answerAt?: Temporal.Instant | null;
  booking?: Booking;
  /** A payment that is sent back later. */
  returns?: PlannedReturn;
};

/** A payment with the accounts of this bank that it is between. */
export type ForExecution = BankPayment &
  Parties &
  Required<Pick<PaymentInstruction, "isStandingOrder">>;
type Parties = { debtor: OwnParty; payee: (OwnParty & PayeeTerms) | null };
/** What a payee of this bank must be, to be paid. */
export type PayeeTerms = { status: "Enabled" | "Disabled" | "Deleted"; currency: string };

/** Returns a payment as it was instructed; its amount is in the account's currency. */
export const toInstruction = (row: BankPayment): PaymentInstruction => ({
  paymentId: row.payment_id,
  debtorAccountId: row.debtor_account_id,
  amount: { amountMinor: row.amount_minor, currency: row.currency },
  charge:
    row.charge_minor === 0n ? null : { amountMinor: row.charge_minor, currency: row.currency },
  creditor: row.creditor,
  endToEndId: row.end_to_end_id,
  reference: row.reference,
  localInstrument: row.local_instrument,
  international: row.international && fromInternationalRecord(row.international),
});

/** Returns an international payment with its price, or null for any other payment. */
export function toPriced(row: BankPayment): PricedInstruction | null {
  const { transfer_minor: transferMinor, transfer_currency: currency } = row;
  const international = row.international && fromInternationalRecord(row.international);
  if (international === null || transferMinor === null || currency === null) return null;
  const deductedMinor = row.deducted_minor;
  const rate = row.exchange_rate;
  return {
    ...toInstruction(row),
    international,
    price: {
      credit: { amountMinor: transferMinor - deductedMinor, currency },
      deducted: deductedMinor === 0n ? null : { amountMinor: deductedMinor, currency },
      rate: rate === null ? null : { unitCurrency: row.currency, otherCurrency: currency, rate },
    },
  };
}

/** Returns a payment as the simulated scheme sees it. */
export function toSent(row: BankPayment): SentPayment {
  const { transfer_minor: amountMinor, transfer_currency: currency } = row;
  const exchanged = amountMinor !== null && currency !== null;
  return { ...toInstruction(row), ...(exchanged ? { transfer: { amountMinor, currency } } : {}) };
}

/** Returns why a payment was refused. */
export function reasonOf({
  reason_code: code,
  reason_text: text,
}: Pick<BankPayment, "reason_code" | "reason_text">): Reason {
  const known: { [code: string]: string } = reasonTexts;
  return code === null ? reason("MS03") : { code, text: text ?? known[code] ?? code };
}

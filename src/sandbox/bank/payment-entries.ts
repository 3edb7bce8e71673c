import type {
  Counterparty,
  CurrencyExchange,
  TransactionFact,
} from "#src/account-store/transaction.ts";
import type { PaymentInstruction } from "#src/bank/port.ts";
import { newId } from "#src/lib/ids.ts";
import type { Money } from "#src/lib/money.ts";
import { newTransaction, type TransactionType } from "./transaction-codes.ts";

/** A party with an account at this bank. */
export type OwnParty = {
  accountId: string;
  holderName: string;
  sortCodeAccountNumber: string | null;
  iban: string | null;
};

/** A row of `posting` as input for the ledger's functions. */
export type PostingRow = {
  posting_id: string;
  debit_account_id: string;
  credit_account_id: string;
  amount_minor: string;
  currency: string;
  booked_at: string;
  payment_id: string;
  purpose:
    | "payment"
    | "payment-charge"
    | "payment-return"
    // the scheme's credit to an account of this bank
    | "payment-delivery"
    // the additional postings of international payments
    | "payment-out"
    | "payment-deduction"
    | "payment-return-in"
    | "payment-deduction-return";
};

/** Postings and the customers' transactions that belong to them; they are stored together. */
export type Booking = { postings: PostingRow[]; entries: TransactionFact[] };

/** The ledger account for payments through the domestic schemes. */
const schemeAccount = "internal-fps";

/** The ledger account for the charges of payments in a currency. */
export const chargesAccount = (currency: string): string =>
  currency === "GBP" ? "internal-charges" : `internal-charges-${currency}`;

/**
 * Books a payment from the debtor's account to the creditor's account or to the scheme, with the
 * bank's charge for it.
 */
export function bookPayment(
  payment: PaymentInstruction,
  debtor: OwnParty,
  creditor: OwnParty | null,
  at: Temporal.Instant,
): Booking {
  const posting = postingOf(payment, payment.amount, "payment", at, {
    from: debtor.accountId,
    to: creditor?.accountId ?? schemeAccount,
  });
  const charged = bookCharge(payment, at);
  const postings = [posting, ...charged.postings];
  const { creditor: party, reference } = payment;
  const text = (name: string) => [name, reference].filter(Boolean).join(" ");
  const out = entry(payment, posting, at, debtor.accountId, {
    type: outgoingType(payment),
    indicator: "Debit",
    information: text(party.name ?? party.identification),
    counterparty: party,
  });
  if (creditor === null) return { postings, entries: [out, ...charged.entries] };
  const into = entry(payment, posting, at, creditor.accountId, {
    type: "FPI",
    indicator: "Credit",
    information: text(debtor.holderName),
    counterparty: partyOf(debtor),
  });
  return { postings, entries: [out, into, ...charged.entries] };
}

function outgoingType({ isStandingOrder, localInstrument }: PaymentInstruction): TransactionType {
  if (isStandingOrder) return "SO";
  return localInstrument === "UK.OBIE.BACS" ? "BPO" : "FPO";
}

/** Books the bank's charge for a payment as a separate transaction. */
export function bookCharge(payment: PaymentInstruction, at: Temporal.Instant): Booking {
  const { charge, debtorAccountId, localInstrument } = payment;
  if (charge === null) return { postings: [], entries: [] };
  const posting = postingOf(payment, charge, "payment-charge", at, {
    from: debtorAccountId,
    to: chargesAccount(charge.currency),
  });
  const line = entry(payment, posting, at, debtorAccountId, {
    type: "CHG",
    indicator: "Debit",
    information: localInstrument === "UK.OBIE.CHAPS" ? "CHAPS fee" : "Payment fee",
    counterparty: null,
  });
  return { postings: [posting], entries: [line] };
}

/** Books the scheme's credit of a payment to an account of this bank. */
export function bookDelivery(
  payment: PaymentInstruction,
  debtor: OwnParty,
  creditor: OwnParty,
  at: Temporal.Instant,
): Booking {
  const posting = postingOf(payment, payment.amount, "payment-delivery", at, {
    from: schemeAccount,
    to: creditor.accountId,
  });
  const into = entry(payment, posting, at, creditor.accountId, {
    type: "BGC",
    indicator: "Credit",
    information: [debtor.holderName, payment.reference].filter(Boolean).join(" "),
    counterparty: partyOf(debtor),
  });
  return { postings: [posting], entries: [into] };
}

/** Books a payment that the scheme has returned. The debtor gets a credit of its amount. */
export function bookReturn(
  payment: PaymentInstruction,
  reasonCode: string,
  at: Temporal.Instant,
): Booking {
  const { creditor, debtorAccountId } = payment;
  const posting = postingOf(payment, payment.amount, "payment-return", at, {
    from: schemeAccount,
    to: debtorAccountId,
  });
  const back = entry(payment, posting, at, debtorAccountId, {
    type: "RET",
    indicator: "Credit",
    information: `RETURNED ${reasonCode} ${creditor.name ?? creditor.identification}`,
    counterparty: creditor,
  });
  return { postings: [posting], entries: [back] };
}

/** Makes a posting of a payment between two ledger accounts. */
export function postingOf(
  { paymentId }: PaymentInstruction,
  amount: Money,
  purpose: PostingRow["purpose"],
  at: Temporal.Instant,
  { from, to }: { from: string; to: string },
): PostingRow {
  return {
    posting_id: newId("post"),
    debit_account_id: from,
    credit_account_id: to,
    amount_minor: amount.amountMinor.toString(),
    currency: amount.currency,
    booked_at: at.toString(),
    payment_id: paymentId,
    purpose,
  };
}

/** Makes the transaction that a posting adds to an account. */
export function entry(
  { paymentId }: PaymentInstruction,
  posting: PostingRow,
  at: Temporal.Instant,
  accountId: string,
  line: Pick<TransactionFact, "indicator" | "information" | "counterparty"> & {
    type: TransactionType;
    exchange?: CurrencyExchange | null;
  },
): TransactionFact {
  const { type, indicator, information, counterparty, exchange } = line;
  return {
    ...newTransaction(type),
    accountId,
    transactionId: newId("tx"),
    indicator,
    status: "Booked",
    bookedAt: at,
    amount: { amountMinor: BigInt(posting.amount_minor), currency: posting.currency },
    // the PaymentTransactionId of payment-details, by which a TPP can find its payment
    reference: paymentId,
    information,
    counterparty,
    particulars: exchange ? { exchange } : null,
    bookingId: posting.posting_id,
  };
}

/** Returns a party of this bank as the counterparty of a payment. */
export function partyOf({
  holderName,
  sortCodeAccountNumber,
  iban,
}: OwnParty): Counterparty | null {
  const name = holderName;
  if (sortCodeAccountNumber !== null) {
    const schemeName = "UK.OBIE.SortCodeAccountNumber";
    return {
      schemeName,
      identification: sortCodeAccountNumber,
      name,
      secondaryIdentification: null,
    };
  }
  if (iban === null) return null;
  return { schemeName: "UK.OBIE.IBAN", identification: iban, name, secondaryIdentification: null };
}

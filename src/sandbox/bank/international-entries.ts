import type { CurrencyExchange } from "#src/account-store/transaction.ts";
import type { InternationalTerms, PaymentInstruction, Price } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";
import {
  type Booking,
  bookCharge,
  chargesAccount,
  entry,
  type OwnParty,
  type PostingRow,
  partyOf,
  postingOf,
} from "./payment-entries.ts";
import type { TransactionType } from "./transaction-codes.ts";

/** An international payment with its price. Its amount is in the account's currency. */
export type PricedInstruction = PaymentInstruction & {
  international: InternationalTerms;
  price: Pick<Price, "credit" | "deducted" | "rate">;
};

const exchangeAccount = (currency: string): string => `internal-exchange-${currency}`;

const networkAccount = ({ network }: InternationalTerms, currency: string): string =>
  network === "SWIFT" ? `internal-swift-${currency}` : `internal-sepa-${currency}`;

const types = {
  out: { SWIFT: "IPO", SEPA: "SPO", SEPAInstant: "SPO" },
  in: { SWIFT: "IPI", SEPA: "SPI", SEPAInstant: "SPI" },
} as const satisfies Record<string, Record<InternationalTerms["network"], TransactionType>>;

/**
 * Books an international payment. Each posting has one currency. The debit goes to the exchange
 * account of its currency. The amount sent comes from the exchange account of the other currency,
 * and goes to the network or to the creditor's account at this bank.
 */
export function bookInternational(
  payment: PricedInstruction,
  debtor: OwnParty,
  creditor: OwnParty | null,
  at: Temporal.Instant,
): Booking {
  const { amount, international, price, reference, creditor: party } = payment;
  const { credit, deducted } = price;
  const paid = postingOf(payment, amount, "payment", at, {
    from: debtor.accountId,
    to: exchangeAccount(amount.currency),
  });
  const sent = postingOf(payment, credit, "payment-out", at, {
    from: exchangeAccount(credit.currency),
    to: creditor?.accountId ?? networkAccount(international, credit.currency),
  });
  const kept = deducted === null ? [] : [deduction(payment, deducted, at)];
  const charged = bookCharge(payment, at);
  const text = (name: string) => [name, reference].filter(Boolean).join(" ");
  const out = entry(payment, paid, at, debtor.accountId, {
    type: types.out[international.network],
    indicator: "Debit",
    information: text(party.name ?? party.identification),
    counterparty: party,
    exchange: shown(payment, credit),
  });
  const into =
    creditor === null
      ? []
      : [
          entry(payment, sent, at, creditor.accountId, {
            type: types.in[international.network],
            indicator: "Credit",
            information: text(debtor.holderName),
            counterparty: partyOf(debtor),
            exchange: shown(payment, amount),
          }),
        ];
  return {
    postings: [paid, sent, ...kept, ...charged.postings],
    entries: [out, ...into, ...charged.entries],
  };
}

function deduction(payment: PricedInstruction, deducted: Money, at: Temporal.Instant): PostingRow {
  const { currency } = deducted;
  const to = chargesAccount(currency);
  return postingOf(payment, deducted, "payment-deduction", at, {
    from: exchangeAccount(currency),
    to,
  });
}

function shown(payment: PricedInstruction, instructed: Money): CurrencyExchange | null {
  const { rate, credit } = payment.price;
  if (rate === null) return null;
  return {
    sourceCurrency: payment.amount.currency,
    targetCurrency: credit.currency,
    unitCurrency: rate.unitCurrency,
    rate: rate.rate,
    contractId: payment.international.contractId,
    instructed,
  };
}

/**
 * Books a returned international payment. The debtor gets back the full debit at the original rate,
 * including any deduction from the amount that was sent.
 */
export function bookInternationalReturn(
  payment: PricedInstruction,
  reasonCode: string,
  at: Temporal.Instant,
): Booking {
  const { amount, international, price, creditor, debtorAccountId } = payment;
  const { credit, deducted } = price;
  const received = postingOf(payment, credit, "payment-return-in", at, {
    from: networkAccount(international, credit.currency),
    to: exchangeAccount(credit.currency),
  });
  const given = deducted === null ? [] : [deductionReturn(payment, deducted, at)];
  const back = postingOf(payment, amount, "payment-return", at, {
    from: exchangeAccount(amount.currency),
    to: debtorAccountId,
  });
  const line = entry(payment, back, at, debtorAccountId, {
    type: "RET",
    indicator: "Credit",
    information: `RETURNED ${reasonCode} ${creditor.name ?? creditor.identification}`,
    counterparty: creditor,
    exchange: shown(payment, credit),
  });
  return { postings: [received, ...given, back], entries: [line] };
}

const deductionReturn = (
  payment: PricedInstruction,
  deducted: Money,
  at: Temporal.Instant,
): PostingRow =>
  postingOf(payment, deducted, "payment-deduction-return", at, {
    from: chargesAccount(deducted.currency),
    to: exchangeAccount(deducted.currency),
  });

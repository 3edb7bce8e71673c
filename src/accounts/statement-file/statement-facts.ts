import type { StoredLocalAmount } from "#src/account-store/balances.ts";
import type { StatementCost, StatementOccasion } from "#src/account-store/facts.ts";
import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type { CurrencyKind } from "#src/standard/shared/accounts/facts.ts";
import type { AmountFacts } from "#src/standard/shared/amount.ts";

/** The terms of a statement, as its bank has stored them. A term that is null is not shown. */
type StatementTerms = {
  /** The period for the customer: `1 to 31 October 2026`. */
  periodName: string | null;
  /** The minimum payment of a card, in minor units; `0` if nothing is owed. */
  minimumPayment: string | null;
  paymentDueAt: string | null;
  /** Rates in percent, each with its code in the standard's or the bank's namespace. */
  rates: { type: string; rate: string }[];
};

/** A statement as it is stored. Amounts are minor units as text, times RFC 3339 in UTC. */
export type StatementFacts = StatementTerms & {
  accountId: string;
  kind: AccountKind;
  currency: string;
  currencyKind: CurrencyKind | null;
  statementId: string;
  number: number;
  startsAt: string;
  /** The first instant after the period. */
  endsAt: string;
  createdAt: string;
  opening: string;
  closing: string;
  credits: string;
  debits: string;
  limit: string;
  costs: StatementCost[];
  productName: string | null;
  particulars: StoredParticulars | null;
};

/** `StatementParticulars` as they are read. */
type StoredParticulars = {
  occasion?: StatementOccasion;
  amounts?: { type: string; amountMinor: string; localAmount?: StoredLocalAmount }[];
  benefits?: { type: string; amount: AmountFacts }[];
  dates?: { type: string; at: string }[];
  values?: { type: string; value: string }[];
  totalValue?: AmountFacts;
};

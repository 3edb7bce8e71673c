import type { CardUse } from "#src/account-store/transaction.ts";
import type { TransactionType } from "#src/sandbox/bank/transaction-codes.ts";

/** Somebody who can log in to the sandbox bank. */
export type Persona = {
  login: string;
  customerId: string;
  name: string;
  kind: "personal" | "business";
  password: string;
  /** Base 32. */
  totpSecret: string;
  /** What this persona is good for. */
  description: string;
};

/** Amounts of the personas are whole pence, or cents, well below what a number holds exactly. */
export type Pence = number;

/** The card that an account is spent with. */
export type Card = Pick<CardUse, "scheme" | "maskedPan">;

/** An account of a household; `key` names it within. */
export type PersonaAccount = {
  key: string;
  subType: "CurrentAccount" | "Savings" | "CreditCard";
  /** Pounds unless given; money moves between accounts of one currency. */
  currency?: "EUR" | "USD";
  nickname: string;
  /** The name of its product. */
  description: string;
  /** Logins of the holders. */
  holders: readonly { login: string; role: "owner" | "joint" | "signatory" }[];
  holderName: string;
  openedOn: string;
  /** How far below zero it may go: an overdraft, or a card's limit. */
  limit: Pence;
  signatoriesRequired: number;
  /** What it holds, or about that, at the start of the history. */
  start: Pence;
  card: Card | null;
};

/** What is paid: a sum, something between two, interest on a balance, or what a card owes. */
export type Sum = Pence | readonly [Pence, Pence] | { interestOn: string } | { owedOn: string };

/** An account somewhere else: sort code and account number, or an IBAN. */
export type Party = { name: string; number: string };

/** Something that comes round: on a day of each month, or on a day of each week (1 is Monday). */
export type Habit = {
  account: string;
  flow: "in" | "out";
  /** Where it comes from or goes to: an account of the household, or one of the ledger's own. */
  other: string;
  when: { day: number; roll?: "before" | "after" } | { weekday: number };
  /** `06:00`, UTC. */
  time: string;
  type: TransactionType;
  /** How the other account shows it, when it is one of the household. */
  otherType?: TransactionType;
  sum: Sum;
  text: string;
  otherText?: string;
  party?: Party;
  reference?: string;
};

/** Spending with merchants of some groups: up to a sum a month, or what is left over a floor. */
export type Spending = {
  account: string;
  budget: Pence | { keep: Pence };
  groups: readonly string[];
};

/** Sales that come in one by one through the day. */
export type Takings = { account: string; perDay: number; from: Pence; to: Pence; text: string };

/**
 * A payment that a customer has set up for a day to come, so many days after the history's end: at
 * home, or abroad out of an account in another currency.
 */
export type LaterPayment = {
  account: string;
  inDays: number;
  sum: Pence;
  party: Party;
  reference: string;
};

/** People and accounts with a common history: what is seeded in one piece. */
export type Household = {
  name: string;
  personas: readonly Persona[];
  accounts: readonly PersonaAccount[];
  habits: readonly Habit[];
  spending: readonly Spending[];
  takings?: Takings;
  later?: readonly LaterPayment[];
  /** Card purchases of yesterday that are not booked. */
  pending: readonly { account: string; count: number }[];
  /** How many transactions are kept, the newest; all unless given. */
  newest?: number;
};

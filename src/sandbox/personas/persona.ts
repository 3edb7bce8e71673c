import { createHash } from "node:crypto";
import type { CardUse } from "#src/account-store/transaction.ts";
import type { TransactionType } from "#src/sandbox/bank/transaction-codes.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type { AccountProxy } from "#src/standard/shared/accounts/facts.ts";
import type { Mandate, Remittance } from "#src/standard/shared/mandate.ts";

/** A person who can log in to the sandbox bank. */
export type Persona = {
  login: string;
  customerId: string;
  name: string;
  kind: "personal" | "business";
  password: string;
  /** In base 32. */
  totpSecret: string;
  /** The purpose of the persona. */
  description: string;
};

/** Returns a person whose id, password and second factor depend only on the login. */
export const newPersona = (
  login: string,
  name: string,
  description: string,
  kind: Persona["kind"] = "personal",
): Persona => ({
  login,
  customerId: stableId("cus", login),
  name,
  kind,
  password: `${login}-sandbox`,
  totpSecret: createHash("sha256").update(`aldgate sandbox factor ${login}`).digest("hex"),
  description,
});

/** The personas' amounts are whole pence or cents, small enough to be exact as numbers. */
export type Pence = number;

/** The card with which an account's money is spent. */
export type Card = Pick<CardUse, "scheme" | "maskedPan">;

/** An account of a household. `key` identifies it within the household. */
export type PersonaAccount = {
  key: string;
  subType: AccountKind;
  /** Pounds by default. Money moves only between accounts of one currency. */
  currency?: "EUR" | "USD";
  /** Its sort code and account number; by default, it depends on the names of household and key. */
  number?: string;
  nickname: string | null;
  /** The name of the account's product. */
  description: string;
  /** The holders' logins. */
  holders: readonly { login: string; role: "owner" | "joint" | "signatory" }[];
  holderName: string;
  openedOn: string;
  /** How far below zero the account may go: its overdraft or credit limit. */
  limit: Pence;
  signatoriesRequired: number;
  /** Its approximate balance at the start of the history. */
  start: Pence;
  card: Card | null;
};

/** An amount: a fixed sum, a range, interest on a balance, or the balance of a card. */
export type Sum = Pence | readonly [Pence, Pence] | { interestOn: string } | { owedOn: string };

/** An account at another bank: sort code and account number, or an IBAN; and its alias, if any. */
export type Party = { name: string; number: string; proxy?: AccountProxy };

/** A recurring payment: on a day of each month, or on a day of each week (1 is Monday). */
export type Habit = {
  account: string;
  flow: "in" | "out";
  /** The other side: an account of the household or of the ledger. */
  other: string;
  when: { day: number; roll?: "before" | "after" } | { weekday: number };
  /** `06:00`, UTC. */
  time: string;
  type: TransactionType;
  /** The transaction type on the other account, if that account is the household's. */
  otherType?: TransactionType;
  sum: Sum;
  text: string;
  otherText?: string;
  party?: Party;
  reference?: string;
  /** The purpose of its postings, if statements show them separately. */
  purpose?: "monthly-charge";
  /** What a standing order says about itself besides its reference. */
  mandate?: Mandate;
  remittance?: Remittance;
};

/** Spending with groups of merchants: up to a sum per month, or down to a minimum balance. */
export type Spending = {
  account: string;
  budget: Pence | { keep: Pence };
  groups: readonly string[];
};

/** Sales that arrive one by one during the day. */
type Takings = { account: string; perDay: number; from: Pence; to: Pence; text: string };

/**
 * A future-dated payment, a number of days after the end of the history: domestic, or international
 * from an account in another currency.
 */
export type LaterPayment = {
  account: string;
  inDays: number;
  sum: Pence;
  party: Party;
  reference: string;
};

/** People and accounts that share a history and are seeded together. */
export type Household = {
  name: string;
  personas: readonly Persona[];
  accounts: readonly PersonaAccount[];
  habits: readonly Habit[];
  spending: readonly Spending[];
  takings?: Takings;
  later?: readonly LaterPayment[];
  /** How many of yesterday's card purchases have not been booked, by account. */
  pending: Readonly<Record<string, number>>;
  /** The number of newest transactions to keep; all by default. */
  newest?: number;
};

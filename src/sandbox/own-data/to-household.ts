import { present } from "#src/lib/assert.ts";
import type { TransactionType } from "#src/sandbox/bank/transaction-codes.ts";
import type {
  History,
  HistoryEntry,
  Movement,
  PendingPurchase,
} from "#src/sandbox/personas/history.ts";
import {
  type Habit,
  type Household,
  newPersona,
  type Persona,
  type PersonaAccount,
} from "#src/sandbox/personas/persona.ts";
import type { SeededHousehold } from "#src/sandbox/personas/store-direct-debits.ts";
import { businessCreditCard, creditCard } from "#src/sandbox/products/credit-cards.ts";
import {
  businessAccount,
  currencyAccount,
  everydayAccount,
} from "#src/sandbox/products/current-accounts.ts";
import { businessSaver, instantSaver } from "#src/sandbox/products/savings-accounts.ts";
import { aboutKind } from "#src/standard/shared/accounts/account-kinds.ts";
import { penceOf } from "./amounts.ts";
import {
  type CustomerDocument,
  type OwnAccount,
  type OwnTransaction,
  ownAccountId,
} from "./document.ts";
import { dueDayOf, isCollectionOf, isPaymentOf } from "./regular.ts";

/** The customer of a document. */
export const personaOf = ({ login, name, description, kind }: CustomerDocument): Persona =>
  newPersona(login, name, description ?? "Brought in by a developer.", kind);

/**
 * Reads a checked document as a household with its history, in the shape in which the personas are
 * stored. `others` are the customers who share accounts with this one.
 */
export function toHousehold(
  document: CustomerDocument,
  others: readonly Persona[],
  now: Temporal.Instant,
): SeededHousehold {
  const { login, accounts } = document;
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const habits = accounts.map((account) => habitsOf(account));
  const household: Household = {
    name: `own ${login}`,
    personas: [personaOf(document), ...others],
    accounts: accounts.map((account) => accountOf(document, account, today)),
    habits: habits.flat().map(({ habit }) => habit),
    spending: [],
    pending: {},
    later: accounts.flatMap(({ key, scheduledPayments = [] }) =>
      scheduledPayments.map(({ on, payee, amount, reference }) => ({
        account: key,
        inDays: today.until(on, { largestUnit: "days" }).days,
        sum: penceOf(amount),
        party: payee,
        reference,
      })),
    ),
  };
  const movements = accounts
    .flatMap((account, index) => movementsOf(account, present(habits[index], "its habits")))
    .sort((a, b) => a.at - b.at);
  const history: History = {
    openedAt: (movements[0]?.at ?? now.epochMilliseconds) - 1000,
    opening: new Map(accounts.map((account) => [account.key, openingOf(account)])),
    currencies: new Map(accounts.map(({ key, currency = "GBP" }) => [key, currency])),
    movements,
    pending: accounts.flatMap(pendingOf),
  };
  const accountIds = new Map(accounts.map(({ key }) => [key, ownAccountId(login, key)]));
  return { household, history, accountIds, now };
}

function accountOf(
  { login, name, kind }: CustomerDocument,
  account: OwnAccount,
  today: Temporal.PlainDate,
): PersonaAccount {
  const { key, type, currency = "GBP", nickname = null, number, card, limit = "0" } = account;
  return {
    key,
    subType: type,
    ...(currency === "GBP" ? {} : { currency }),
    ...(number === undefined ? {} : { number }),
    nickname,
    description: account.product ?? productOf(account, kind) ?? aboutKind(type).label,
    holders: account.holders ?? [{ login, role: "owner" }],
    holderName: account.holderName ?? name,
    openedOn: account.openedOn ?? today.subtract({ years: 2 }).toString(),
    limit: penceOf(limit),
    signatoriesRequired: account.signatoriesRequired ?? 1,
    start: openingOf(account),
    card: card ? { scheme: card.scheme, maskedPan: maskedPan(card.lastFour) } : null,
  };
}

const usualProducts = {
  CurrentAccount: { personal: everydayAccount, business: businessAccount },
  Savings: { personal: instantSaver, business: businessSaver },
  CreditCard: { personal: creditCard, business: businessCreditCard },
};

function productOf({ type, currency = "GBP" }: OwnAccount, kind: Persona["kind"] = "personal") {
  if (currency !== "GBP") return currencyAccount.details.ProductName;
  return type in usualProducts
    ? // safe: the line above
      usualProducts[type as keyof typeof usualProducts][kind].details.ProductName
    : null;
}

const maskedPan = (lastFour: string): string => `**** **** **** ${lastFour}`;

const booked = ({ transactions = [] }: OwnAccount): readonly OwnTransaction[] =>
  transactions.filter(({ status }) => status !== "Pending");

const openingOf = (account: OwnAccount): number =>
  booked(account).reduce(
    (left, { indicator, amount }) =>
      left + (indicator === "Credit" ? -penceOf(amount) : penceOf(amount)),
    penceOf(account.balance),
  );

/** A regular payment, and which transactions it has made. */
type Regular = { habit: Habit; made(transaction: OwnTransaction): boolean };

function habitsOf({ key, directDebits = [], standingOrders = [] }: OwnAccount): Regular[] {
  const common = { account: key, flow: "out", time: "02:30" } as const;
  const collected = directDebits.map((one) => ({
    habit: {
      ...common,
      other: "internal-direct-debits",
      when: { day: one.dayOfMonth },
      type: "DD" as const,
      sum:
        one.mostAmount === undefined
          ? penceOf(one.amount)
          : ([penceOf(one.amount), penceOf(one.mostAmount)] as const),
      text: one.originator,
      party: { name: one.originator, number: "" },
      reference: one.reference,
    },
    made: (transaction: OwnTransaction) => isCollectionOf(one, transaction),
  }));
  const paid = standingOrders.map((one) => ({
    habit: {
      ...common,
      other: "internal-fps",
      when: { day: one.dayOfMonth },
      type: "SO" as const,
      sum: penceOf(one.amount),
      text: `${one.payee.name} ${one.reference}`,
      party: one.payee,
      reference: one.reference,
    },
    made: (transaction: OwnTransaction) => isPaymentOf(one, transaction),
  }));
  return [...collected, ...paid];
}

function movementsOf(account: OwnAccount, all: readonly Regular[]): Movement[] {
  const { key, currency = "GBP" } = account;
  return booked(account).map((transaction) => {
    const { indicator, amount } = transaction;
    const line = lineOf(transaction);
    const at = Temporal.Instant.from(transaction.at);
    const other = otherSide(line.type, currency);
    const habit = all.find(({ made }) => made(transaction))?.habit;
    const cause =
      habit && "day" in habit.when ? { habit: { habit, day: dueDayOf(at, habit.when.day) } } : {};
    const same = { at: at.epochMilliseconds, sum: penceOf(amount), ...cause };
    return indicator === "Debit"
      ? { ...same, from: key, to: other, fromLine: line, toLine: null }
      : { ...same, from: other, to: key, fromLine: null, toLine: line };
  });
}

const pendingOf = ({ key, transactions = [] }: OwnAccount): PendingPurchase[] =>
  transactions
    .filter(({ status }) => status === "Pending")
    .map((transaction) => ({
      account: key,
      at: Temporal.Instant.from(transaction.at).epochMilliseconds,
      sum: penceOf(transaction.amount),
      line: lineOf(transaction),
    }));

function lineOf(transaction: OwnTransaction): HistoryEntry {
  const { indicator, type, text, reference = null, counterparty, merchant, card } = transaction;
  return {
    type: type ?? (indicator === "Credit" ? "FPI" : "FPO"),
    text,
    reference,
    counterparty: counterparty
      ? { name: null, secondaryIdentification: null, ...counterparty }
      : null,
    merchant: merchant ? { categoryCode: null, ...merchant } : null,
    card: card
      ? {
          scheme: card.scheme,
          authorisation: card.authorisation ?? null,
          maskedPan: maskedPan(card.lastFour),
        }
      : null,
  };
}

/** The account of the ledger from or to which money of this type moves. */
const otherSide = (type: TransactionType, currency: string): string =>
  currency === "GBP" ? (sides[type] ?? "internal-fps") : `internal-cards-${currency}`;

const sides: { [type in TransactionType]?: string } = {
  PAY: "internal-payroll",
  DD: "internal-direct-debits",
  INT: "internal-interest",
  IND: "internal-interest",
  CHG: "internal-fees",
  CPT: "internal-cash",
  DEB: "internal-cards",
  CC: "internal-cards",
  RFD: "internal-cards",
  TKG: "internal-cards",
};

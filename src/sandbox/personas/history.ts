import type { CardUse, Counterparty, TransactionFact } from "#src/account-store/transaction.ts";
import { assert, present } from "#src/lib/assert.ts";
import type { TransactionType } from "#src/sandbox/bank/transaction-codes.ts";
import type { BankProduct } from "#src/sandbox/products/bank-product.ts";
import { productNamed } from "#src/sandbox/products/list-products.ts";
import { monthlyInterest, tierRate } from "#src/sandbox/products/rates.ts";
import { createRandom, type Random } from "#src/sandbox/random.ts";
import { dayBeforeRolling, daysOf, moment, monthsBetween } from "./calendar.ts";
import { type Merchant, merchants } from "./merchants.ts";
import type { Card, Habit, Household, Party, Pence, PersonaAccount, Spending } from "./persona.ts";

/** One side of a movement, as the customer of that account sees it. */
export type HistoryEntry = Pick<TransactionFact, "reference" | "card" | "merchant"> & {
  type: TransactionType;
  text: string;
  counterparty: Counterparty | null;
};

/**
 * A movement of money from one account to another. A household's account is named by its key, a
 * ledger account by its id. The household's accounts show a line.
 */
export type Movement = {
  /** Milliseconds since 1970. */
  at: number;
  from: string;
  to: string;
  sum: Pence;
  fromLine: HistoryEntry | null;
  toLine: HistoryEntry | null;
  /** The habit that causes the movement and its due day; absent if no habit does. */
  habit?: { habit: Habit; day: Temporal.PlainDate };
};

/** A card purchase that was made yesterday and is expected to be booked tomorrow. */
export type PendingPurchase = { account: string; at: number; sum: Pence; line: HistoryEntry };

/** The movements on a household's accounts, oldest first. */
export type History = {
  /** Milliseconds since 1970, before the first movement. */
  openedAt: number;
  /** The opening balance of each account. */
  opening: Map<string, Pence>;
  /** The currency of each account. */
  currencies: ReadonlyMap<string, string>;
  movements: Movement[];
  pending: PendingPurchase[];
};

const historyMonths = 18;

/**
 * Generates the history of a household until the start of `today`, beginning with the first day of
 * the month 18 months ago. The same day always gives the same history. No account goes below its
 * limit.
 */
export function makeHistory(household: Household, today: Temporal.PlainDate): History {
  const random = createRandom(household.name);
  // if only the newest transactions are kept, one more month ensures that there are enough
  const months = historyMonths + (household.newest === undefined ? 0 : 1);
  const made: Movement[] = [];
  const balances = new Map(household.accounts.map(({ key, start }) => [key, start]));
  const add = (movement: Movement | null) => {
    if (movement === null || movement.sum <= 0) return;
    made.push(movement);
    for (const [key, change] of [
      [movement.from, -movement.sum],
      [movement.to, movement.sum],
    ] as const) {
      const balance = balances.get(key);
      if (balance !== undefined) balances.set(key, balance + change);
    }
  };
  for (const month of monthsBetween(today.subtract({ months }), today)) {
    const before = new Map(balances);
    for (const habit of household.habits) {
      for (const day of daysOf(habit.when, month)) {
        const movement = habitMovement(habit, day, sumOf(household, habit, before, random));
        add({ ...movement, habit: { habit, day: dayBeforeRolling(habit.when, month) ?? day } });
      }
    }
    for (const movement of takingsOf(household, month, random)) add(movement);
    for (const spending of household.spending) {
      for (const movement of spendMonth(household, spending, month, balances, random)) {
        add(movement);
      }
    }
  }
  const end = moment(today, "00:00");
  const movements = made.filter(({ at }) => at < end).sort((a, b) => a.at - b.at);
  const kept = household.newest === undefined ? movements : movements.slice(-household.newest);
  const pending = pendingOf(household, today, random);
  return {
    openedAt: present(kept[0], "a history").at - 1000,
    opening: openingOf(household, kept, pending),
    currencies: new Map(household.accounts.map(({ key, currency = "GBP" }) => [key, currency])),
    movements: kept,
    pending,
  };
}

function sumOf(
  household: Household,
  { sum, flow }: Habit,
  before: Map<string, Pence>,
  random: Random,
): Pence {
  if (typeof sum === "number") return sum;
  if ("owedOn" in sum) return Math.max(0, -(before.get(sum.owedOn) ?? 0));
  if ("interestOn" in sum) {
    const balance = before.get(sum.interestOn) ?? 0;
    const { credit, debit } = productOf(household, sum.interestOn);
    return flow === "in"
      ? monthlyInterest(Math.max(0, balance), tierRate(credit, balance))
      : monthlyInterest(Math.max(0, -balance), debit ?? "0");
  }
  return random.between(sum[0], sum[1]);
}

/** Returns an account of a household by its key. */
export const accountOf = ({ accounts }: Household, key: string): PersonaAccount =>
  present(
    accounts.find((account) => account.key === key),
    `account ${key}`,
  );

function productOf(household: Household, account: string): BankProduct {
  const { description } = accountOf(household, account);
  return present(productNamed(description), `the product ${description}`);
}

const isOwn = (account: string): boolean => !account.startsWith("internal-");

function habitMovement(habit: Habit, day: Temporal.PlainDate, sum: Pence): Movement {
  const { account, flow, other, party, reference = null } = habit;
  const common = { reference, card: null, merchant: null };
  const line: HistoryEntry = {
    ...common,
    type: habit.type,
    text: habit.text,
    counterparty: party ? counterpartyOf(party) : null,
  };
  const otherLine: HistoryEntry | null = isOwn(other)
    ? {
        ...common,
        type: habit.otherType ?? habit.type,
        text: habit.otherText ?? habit.text,
        counterparty: null,
      }
    : null;
  const at = moment(day, habit.time);
  return flow === "out"
    ? { at, from: account, to: other, sum, fromLine: line, toLine: otherLine }
    : { at, from: other, to: account, sum, fromLine: otherLine, toLine: line };
}

/** Returns a party at another bank as the counterparty of a payment. */
export const counterpartyOf = ({ name, number }: Party): Counterparty => ({
  schemeName: /^[A-Z]/.test(number) ? "UK.OBIE.IBAN" : "UK.OBIE.SortCodeAccountNumber",
  identification: number,
  name,
  secondaryIdentification: null,
});

function* takingsOf(
  { takings }: Household,
  month: Temporal.PlainDate,
  random: Random,
): Generator<Movement> {
  if (!takings) return;
  const toLine: HistoryEntry = {
    type: "TKG",
    text: takings.text,
    reference: null,
    card: null,
    merchant: null,
    counterparty: null,
  };
  for (let day = 0; day < month.daysInMonth; day += 1) {
    const opens = moment(month.add({ days: day }), "07:00");
    for (let sale = 0; sale < takings.perDay; sale += 1) {
      const at = opens + random.between(0, 11 * 3600) * 1000;
      const sum = random.between(takings.from, takings.to);
      yield { at, from: "internal-cards", to: takings.account, sum, fromLine: null, toLine };
    }
  }
}

/** Spends a month's budget in purchases. Sometimes a purchase is returned. */
function* spendMonth(
  household: Household,
  { account, budget, groups }: Spending,
  month: Temporal.PlainDate,
  balances: Map<string, Pence>,
  random: Random,
): Generator<Movement> {
  const { card } = accountOf(household, account);
  const choice = merchants.filter(({ group }) => groups.includes(group));
  let left = typeof budget === "number" ? budget : (balances.get(account) ?? 0) - budget.keep;
  const start = moment(month, "00:00");
  for (;;) {
    const merchant = random.pick(choice);
    const sum = sumAt(merchant, random);
    if (sum > left) return;
    left -= sum;
    const day = random.between(0, month.daysInMonth - 1);
    const at = start + day * 86_400_000 + random.between(8 * 3600, 21 * 3600) * 1000;
    const purchase = purchaseLine(merchant, card, random);
    const other = counterOf[purchase.type] ?? "internal-cards";
    yield { at, from: account, to: other, sum, fromLine: purchase, toLine: null };
    if (purchase.merchant && merchant.group === "shops" && random.next() < 0.05) {
      const back = { ...purchase, type: "RFD" as const, text: `REFUND ${purchase.text}` };
      const later = at + random.between(2, 9) * 86_400_000;
      yield { at: later, from: other, to: account, sum, fromLine: null, toLine: back };
    }
  }
}

const counterOf: { [type in TransactionType]?: string } = {
  CPT: "internal-cash",
  FPO: "internal-fps",
};

// cash is withdrawn only in notes
const sumAt = ({ from, to, type }: Merchant, random: Random): Pence =>
  type === "CPT" ? random.between(from / 1000, to / 1000) * 1000 : random.between(from, to);

function purchaseLine(merchant: Merchant, card: Card | null, random: Random): HistoryEntry {
  const { name, town, categoryCode, type } = merchant;
  if (type === "FPO") {
    const reference = `INV ${random.between(10_000, 99_999)}`;
    const number = `009870${10_000_000 + categoryCode.length * Number(categoryCode) * 97}`;
    return {
      type,
      text: `${name} ${reference}`,
      reference,
      card: null,
      merchant: null,
      counterparty: counterpartyOf({ name, number }),
    };
  }
  assert(card, "spending at a merchant needs a card");
  const online = merchant.group === "online";
  const authorisation: CardUse["authorisation"] =
    type === "CPT"
      ? "PIN"
      : online
        ? "None"
        : random.pick(["Contactless", "ConsumerDevice", "PIN"]);
  return {
    type: type ?? (card.scheme === "MasterCard" ? "CC" : "DEB"),
    text: `${name.toUpperCase()} ${town.toUpperCase()} GB`,
    reference: null,
    card: { ...card, authorisation },
    merchant: { name, categoryCode },
    counterparty: null,
  };
}

function pendingOf(
  household: Household,
  today: Temporal.PlainDate,
  random: Random,
): PendingPurchase[] {
  const choice = merchants.filter(({ group }) => group === "food" || group === "out");
  // the expected booking is known only to the day. Source: A-184
  const at = moment(today.add({ days: 1 }), "00:00");
  return Object.entries(household.pending).flatMap(([account, count]) => {
    const { card } = accountOf(household, account);
    return Array.from({ length: count }, () => {
      const merchant = random.pick(choice);
      const line = purchaseLine(merchant, card, random);
      return { account, at, sum: sumAt(merchant, random), line };
    });
  });
}

/** Calculates the opening balances that keep each account within its limit. */
function openingOf(
  { accounts }: Household,
  movements: readonly Movement[],
  pending: readonly PendingPurchase[],
): Map<string, Pence> {
  const balances = new Map(accounts.map(({ key, start }) => [key, start]));
  const lowest = new Map(balances);
  const change = (key: string, by: Pence) => {
    const before = balances.get(key);
    if (before === undefined) return;
    balances.set(key, before + by);
    if (before + by < (lowest.get(key) ?? 0)) lowest.set(key, before + by);
  };
  for (const { from, to, sum } of movements) {
    change(from, -sum);
    change(to, sum);
  }
  for (const { account, sum } of pending) change(account, -sum);
  return new Map(
    accounts.map(({ key, start, limit }) => {
      const missing = Math.max(0, -limit - (lowest.get(key) ?? 0));
      return [key, start + missing];
    }),
  );
}

import type { Habit, Party, Pence, Sum } from "./persona.ts";

/** Wages into an account, on the given day or the last working day before it. */
export const salary = (account: string, day: number, sum: Pence, employer: string): Habit => ({
  account,
  flow: "in",
  other: "internal-payroll",
  when: { day, roll: "before" },
  time: "00:05",
  type: "PAY",
  sum,
  text: `${employer.toUpperCase()} SALARY`,
  party: { name: employer, number: "00980012000417" },
  reference: "SALARY",
});

/** A direct debit, on the given day or the next working day. */
export const directDebit = (account: string, day: number, sum: Sum, company: string): Habit => ({
  account,
  flow: "out",
  other: "internal-direct-debits",
  when: { day, roll: "after" },
  time: "02:30",
  type: "DD",
  sum,
  text: `${company.toUpperCase()} DD`,
  party: { name: company, number: "00980033001904" },
  reference: `${company.replace(/\W/g, "").slice(0, 6).toUpperCase()}00${day}7741`,
});

/** A standing order to a payee at another bank. */
export const standingOrder = (
  account: string,
  day: number,
  sum: Pence,
  party: Party,
  reference: string,
): Habit => ({
  account,
  flow: "out",
  other: "internal-fps",
  when: { day, roll: "after" },
  time: "01:10",
  type: "SO",
  sum,
  text: `${party.name} ${reference}`,
  party,
  reference,
});

/** A regular payment from a payer at another bank. */
export const received = (
  account: string,
  when: Habit["when"],
  sum: Sum,
  party: Party,
  reference: string,
): Habit => ({
  account,
  flow: "in",
  other: "internal-fps",
  when,
  time: "09:42",
  type: "FPI",
  sum,
  text: `${party.name} ${reference}`,
  party,
  reference,
});

/** A monthly transfer between accounts of the household. */
export const transfer = (from: string, to: string, day: number, sum: Sum, text: string): Habit => ({
  account: from,
  flow: "out",
  other: to,
  when: { day },
  time: "07:15",
  type: "TFR",
  otherType: "TFI",
  sum,
  text,
});

/** The direct debit that pays the balance of a card at the start of the month. */
export const cardRepayment = (from: string, card: string, day: number): Habit => ({
  account: from,
  flow: "out",
  other: card,
  when: { day, roll: "after" },
  time: "02:45",
  type: "DD",
  otherType: "BGC",
  sum: { owedOn: card },
  text: "ALDGATE CREDIT CARD DD",
  otherText: "DIRECT DEBIT PAYMENT - THANK YOU",
  reference: `ALDGATE ${card.toUpperCase()}`,
});

/** Monthly credit interest on the balance at the start of the month, at the product's rate. */
export const interestEarned = (account: string): Habit => ({
  account,
  flow: "in",
  other: "internal-interest",
  when: { day: 28 },
  time: "03:00",
  type: "INT",
  sum: { interestOn: account },
  text: "INTEREST PAID",
});

/** Monthly debit interest on the balance at the start of the month, at the product's rate. */
export const interestOwed = (account: string): Habit => ({
  ...interestEarned(account),
  flow: "out",
  type: "IND",
  text: "INTEREST CHARGED",
});

/** A fee of the bank. */
export const fee = (account: string, day: number, sum: Pence, text: string): Habit => ({
  account,
  flow: "out",
  other: "internal-fees",
  when: { day },
  time: "03:20",
  type: "CHG",
  sum,
  text,
});

/** The monthly charge for an account. Statements show it as a monthly charge. */
export const monthlyCharge = (...given: Parameters<typeof fee>): Habit => ({
  ...fee(...given),
  purpose: "monthly-charge",
});

/**
 * A regular payment to or from another country, in the currency of the account, on the given day or
 * the next working day.
 */
export const abroad = (
  account: string,
  flow: Habit["flow"],
  day: number,
  sum: Sum,
  party: Party | { name: string },
  reference: string,
): Habit => {
  const euros = "number" in party;
  const types = euros ? ({ in: "SPI", out: "SPO" } as const) : ({ in: "IPI", out: "IPO" } as const);
  return {
    account,
    flow,
    other: euros ? "internal-sepa-EUR" : "internal-swift-USD",
    when: { day, roll: "after" },
    time: "10:25",
    type: types[flow],
    sum,
    text: `${party.name} ${reference}`,
    ...(euros ? { party } : {}),
    reference,
  };
};

/** Whether a habit is a standing order of the customer, such as rent, wages or savings. */
export const isStandingOrder = ({ type, flow }: Habit): boolean =>
  flow === "out" && (type === "SO" || type === "TFR");

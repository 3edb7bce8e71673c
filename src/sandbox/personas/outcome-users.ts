import type { FactorMishap } from "#src/sandbox/bank/challenges.ts";

/** A customer whose login decides what happens, for tests. */
export type OutcomeUser = {
  login: string;
  name: string;
  /** What the customer is good for. */
  about: string;
  /** The number of the outcome that all payments of this customer have. */
  outcome?: string;
  /** What happens whenever the customer is asked for a code. */
  factor?: FactorMishap;
  /** Whether the login is locked, whatever the password. */
  isLocked?: true;
  /** Whether the customer approves in the bank's app instead of with a code. */
  usesApp?: true;
};

/** The customers whose user name is a trigger. */
export const outcomeUsers: readonly OutcomeUser[] = [
  {
    login: "test_executed",
    name: "Terry Settle",
    about: "Every payment is settled at once.",
    outcome: "01",
  },
  {
    login: "test_pending",
    name: "Penny Waite",
    about: "Every payment is pending for 10 minutes.",
    outcome: "02",
  },
  {
    login: "test_held",
    name: "Hollis Keep",
    about: "The bank reviews every payment for an hour.",
    outcome: "05",
  },
  {
    login: "test_rejected",
    name: "Rory Noble",
    about: "Every payment is rejected with AC04.",
    outcome: "12",
  },
  {
    login: "test_returned",
    name: "Robin Back",
    about: "Every payment is settled, and comes back a day later.",
    outcome: "23",
  },
  {
    login: "test_account_closed",
    name: "Clovis Shutt",
    about: "The account counts as closed when an order arrives.",
    outcome: "32",
  },
  {
    login: "test_code_refused",
    name: "Wren Cody",
    about: "Every code is wrong: after five of them, the request ends.",
    factor: "refused",
  },
  {
    login: "test_code_expired",
    name: "Esme Tardy",
    about: "Every code has expired when the customer enters it.",
    factor: "expired",
  },
  {
    login: "test_locked",
    name: "Lois Barr",
    about: "The login is locked, whatever the password: after five tries, the request ends.",
    isLocked: true,
  },
  {
    login: "test_app",
    name: "Abbie Fone",
    about: "Approves in the bank's app instead of with a code.",
    usesApp: true,
  },
];

/** What goes wrong with the second factor of a customer; undefined if nothing does. */
export const mishapOf = (login: string): FactorMishap | undefined =>
  outcomeUsers.find((user) => user.login === login)?.factor;

/** Whether a customer approves in the bank's app. */
export const usesApp = (login: string): boolean =>
  outcomeUsers.some((user) => user.login === login && user.usesApp);

/** Whether a login is locked. */
export const isLockedLogin = (login: string): boolean =>
  outcomeUsers.some((user) => user.login === login && user.isLocked);

/** Whether a login is one of the customers whose user name is a trigger. */
export const isOutcomeUser = (login: string): boolean =>
  outcomeUsers.some((user) => user.login === login);

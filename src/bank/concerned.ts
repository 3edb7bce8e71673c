import type { Bank, BankAccount, BankCustomer, PaymentInstruction } from "./port.ts";
import type { CallName } from "./port-answers.ts";

type Given<Name extends CallName> = Parameters<NonNullable<Bank[Name]>>;

const byCustomer = (customerId: string): string[] => [`customer ${customerId}`];
const byAccount = (accountId: string): string[] => [`account ${accountId}`];
const byPayments = (ids: readonly string[]): string[] => ids.map((id) => `payment ${id}`);
const byInstructions = (payments: readonly PaymentInstruction[]): string[] =>
  byPayments(payments.map(({ paymentId }) => paymentId));

/** Names what each call is about; nothing if it is about the bank as a whole. */
const names: { readonly [Name in CallName]: (...given: Given<Name>) => string[] } = {
  authenticate: (login) => [`login ${login}`],
  challenge: byCustomer,
  challengeResult: (challengeId) => [`challenge ${challengeId}`],
  verify: (challengeId) => [`challenge ${challengeId}`],
  loadCustomer: byCustomer,
  listAccounts: byCustomer,
  loadAccount: byAccount,
  findAccount: (schemeName, identification) => [`account ${schemeName} ${identification}`],
  loadFunds: (accountIds) => accountIds.flatMap(byAccount),
  listBeneficiaries: byCustomer,
  saveBeneficiary: byCustomer,
  trustBeneficiary: byCustomer,
  removeBeneficiary: byCustomer,
  listDirectDebits: byCustomer,
  cancelDirectDebit: byCustomer,
  confirmFunds: byAccount,
  quoteRate: () => [],
  loadContract: (contractId) => [`contract ${contractId}`],
  price: ({ debtorAccountId }) => byAccount(debtorAccountId),
  reserve: byInstructions,
  execute: byInstructions,
  ask: byPayments,
  release: byPayments,
  listPayments: () => [],
  listSignatories: byAccount,
  confirmPayee: ({ schemeName, identification }) => [`account ${schemeName} ${identification}`],
  assess: ({ customerId }) => byCustomer(customerId),
  assessOrder: ({ customerId }) => byCustomer(customerId),
  loadStatementDocument: ({ customerId }) => byCustomer(customerId),
  tell: () => [],
};

/** Finds out which customers a call to the core is about. */
type Concerned = {
  /**
   * The customers. An account, a login or a payment whose customer is not known stands for a
   * customer of its own.
   */
  by(name: CallName, given: readonly unknown[]): ReadonlySet<string>;
  /** Keeps the customers that an answer names. */
  learn(name: CallName, given: readonly unknown[], answer: unknown): void;
};

// what is forgotten counts as a customer of its own
const mostKnown = 10_000;

/** Makes the finder. It knows the customers of the accounts and challenges that it has seen. */
export function createConcerned(): Concerned {
  const customers = new Map<string, string>();
  const keep = (name: string, customer: string): void => {
    if (customers.size >= mostKnown) customers.clear();
    customers.set(name, customer);
  };
  const customerOf = (name: string): string => customers.get(name) ?? name;

  /** The payments of an account belong to its customer. */
  function keepPayments(payments: readonly PaymentInstruction[]): void {
    for (const { paymentId, debtorAccountId } of payments) {
      keep(`payment ${paymentId}`, customerOf(`account ${debtorAccountId}`));
    }
  }

  return {
    by(name, given) {
      // safe: the arguments are those of the call
      if (name === "reserve" || name === "execute") {
        keepPayments(given[0] as PaymentInstruction[]);
      }
      const about = (names[name] as (...all: readonly unknown[]) => string[])(...given);
      return new Set(about.map(customerOf));
    },
    learn(name, given, answer) {
      // safe: the arguments are those of the call, and the answer has been checked
      const first = given[0] as string;
      if (name === "authenticate" && answer !== null) {
        keep(`login ${first}`, `customer ${(answer as BankCustomer).customerId}`);
      } else if (name === "challenge") {
        const { challengeId } = answer as { challengeId: string };
        keep(`challenge ${challengeId}`, `customer ${first}`);
      } else if (name === "listAccounts") {
        for (const { accountId } of answer as BankAccount[]) {
          keep(`account ${accountId}`, `customer ${first}`);
        }
      }
    },
  };
}

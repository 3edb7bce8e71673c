import type { Money } from "#src/lib/money.ts";

/** An account as the bank's core knows it. */
export type BankAccount = {
  accountId: string;
  accountType: "Personal" | "Business";
  accountSubType: "CurrentAccount" | "Savings" | "CreditCard";
  currency: string;
  nickname: string | null;
  holderName: string;
  sortCodeAccountNumber: string | null;
  iban: string | null;
  maskedPan: string | null;
  /** How many holders must sign a payment. */
  signatoriesRequired: number;
  status: "Enabled" | "Disabled" | "Deleted";
};

/** What a customer can spend and owns right now, in minor units; negative when overdrawn. */
export type AccountFunds = { bookedMinor: bigint; availableMinor: bigint; currency: string };

/** A customer; `login` is what the journey asks for. */
export type BankCustomer = { customerId: string; login: string; name: string };

/** A party's account in the standard's terms, as the TPP sent it. */
export type AccountReference = {
  schemeName: string;
  identification: string;
  name: string | null;
  secondaryIdentification: string | null;
};

/** One payment to be executed; `paymentId` is the idempotency key of everything done with it. */
export type PaymentInstruction = {
  paymentId: string;
  debtorAccountId: string;
  amount: Money;
  /** What the bank takes from the debtor on top, in the same currency; null is nothing. */
  charge: Money | null;
  creditor: AccountReference;
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
};

/** An ISO 20022 reason (`AM04`) with the code's name. */
export type Reason = { code: string; text: string };

/**
 * What the bank says of a payment. Its charge goes with the debit, and does not come back with it.
 * - `reserved`: the funds are set aside.
 * - `refused`: final; nothing is reserved, nothing was moved.
 * - `pending`: the debtor is debited and the scheme has not answered; ask again at `askAt`.
 * - `settled`: the debtor is debited and the creditor credited. `posted` is false when the
 *   creditor's bank has accepted but not yet posted it (ACWP).
 * - `returned`: the scheme refused after the debit; the debtor has the money back.
 * - `unknown`: the bank has never heard of it.
 */
export type PaymentOutcome =
  | { state: "reserved" }
  | { state: "refused"; reason: Reason }
  | { state: "pending"; askAt: Temporal.Instant }
  | { state: "settled"; posted: boolean }
  | { state: "returned"; reason: Reason }
  | { state: "unknown" };

/**
 * The one interface to a bank's core. Calls on payments take a batch, give one outcome for each in
 * the same order, and are idempotent by `paymentId`: a repeated call gives the outcome of the
 * first. They throw BankError when the whole batch was not dealt with.
 */
export type Bank = {
  /** The customer with this login and password, or null; takes as long either way. */
  authenticate(login: string, password: string): Promise<BankCustomer | null>;
  /** Whether the time-based code is this customer's current one. */
  checkSecondFactor(customerId: string, code: string): Promise<boolean>;
  loadCustomer(customerId: string): Promise<BankCustomer | null>;
  /** The accounts that a customer holds or may sign for, all states, stable order. */
  listAccounts(customerId: string): Promise<BankAccount[]>;
  loadAccount(accountId: string): Promise<BankAccount | null>;
  /** The account of this bank with that identification, or null. */
  findAccount(schemeName: string, identification: string): Promise<BankAccount | null>;
  loadFunds(accountIds: string[]): Promise<Map<string, AccountFunds>>;
  /** Whether a debit of this amount would be covered now. */
  confirmFunds(accountId: string, amount: Money): Promise<boolean>;
  /** Sets the funds aside: `reserved` or `refused`. */
  reserve(payments: PaymentInstruction[]): Promise<PaymentOutcome[]>;
  /** Executes reserved payments: `settled`, `pending` or `refused`. */
  execute(payments: PaymentInstruction[]): Promise<PaymentOutcome[]>;
  /** What has become of payments: never changes anything but what the scheme's answer does. */
  ask(paymentIds: string[]): Promise<PaymentOutcome[]>;
  /** Gives reserved funds back: for orders refused or cancelled before execution. */
  release(paymentIds: string[]): Promise<void>;
};

/** `refused`: do not try again; `retry`: nothing was done; `unknown`: ask before trying again. */
export class BankError extends Error {
  readonly outcome: "refused" | "retry" | "unknown";
  constructor(outcome: BankError["outcome"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

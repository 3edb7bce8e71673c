import type { Money } from "#src/lib/money.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Challenge, ChallengeSubject } from "./challenge.ts";
import type { ExchangeRate } from "./exchange.ts";

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

/** A bank abroad, by its BIC or by its name and country. */
export type AgentReference = { bic: string | null; name: string | null; country: string | null };

/** An amount as the standard writes it, `10.00`: what is kept as JSON. */
export type StatedAmount = { amount: string; currency: string };

/**
 * What an international payment, or in another currency than the account's, says beside the rest.
 */
export type InternationalTerms = {
  /** What the creditor is paid in: the amount is in this currency, or in the account's. */
  transferCurrency: string;
  /** The rate that was promised, from the account's currency; null is the bank's of the moment. */
  rate: string | null;
  /** The contract that the rate was agreed in. */
  contractId: string | null;
  /** What the bank takes from the debtor on top, in any currency; null is nothing. */
  charge: StatedAmount | null;
  /** What the bank takes off what the creditor gets, in any currency; null is nothing. */
  deduction: StatedAmount | null;
  /** How it travels. */
  network: "SEPA" | "SEPAInstant" | "SWIFT";
  creditorAgent: AgentReference | null;
  /** Whether the funds are set aside when it is ordered, however late it is executed. */
  fundsAtOnce: boolean;
};

/** Somebody whom a customer pays; the list is the customer's own. */
export type Beneficiary = {
  beneficiaryId: string;
  creditor: AccountReference;
  /** BIC of the payee's bank; null where the account's number says which it is. */
  creditorBic: string | null;
  /** What the payee is told with each payment, up to 35 characters; null is nothing. */
  reference: string | null;
  /** Whether the customer has said so. */
  isTrusted: boolean;
};

/** A mandate: an originator may collect from an account. */
export type DirectDebit = {
  directDebitId: string;
  accountId: string;
  originatorName: string;
  mandateReference: string;
  isActive: boolean;
  /** When the next collection is expected; null when there will be none. */
  nextAt: Temporal.Instant | null;
  /** The newest collection; null when there was none. */
  previous: { at: Temporal.Instant; amount: Money } | null;
};

/** One payment to be executed; `paymentId` is the idempotency key of everything done with it. */
export type PaymentInstruction = {
  paymentId: string;
  debtorAccountId: string;
  /** In the account's currency unless `international` says otherwise. */
  amount: Money;
  /** What the bank takes from the debtor on top, in the same currency; null is nothing. */
  charge: Money | null;
  creditor: AccountReference;
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  /** Null for a payment in the account's currency at home; `charge` is null beside it. */
  international: InternationalTerms | null;
  /** Whether a standing order pays it, which the debtor's statement says. */
  isStandingOrder?: boolean;
};

/** What an international payment comes to. */
export type Price = {
  /** What leaves the account for it, in the account's currency. */
  debit: Money;
  /** What the bank takes on top, in the account's currency; null is nothing. */
  charge: Money | null;
  /** What the creditor's bank is sent, in the currency of the transfer, after any deduction. */
  credit: Money;
  /** What was taken off it, in the same currency; null is nothing. */
  deducted: Money | null;
  /** From the account's currency into the transfer's; null when nothing is exchanged. */
  rate: ExchangeRate | null;
};

/** A rate that the bank quotes: it stands by it until then, or not at all when that is null. */
export type RateQuote = ExchangeRate & { expiresAt: Temporal.Instant | null };

/** A rate that bank and customer have agreed for payments from one account. */
export type ExchangeContract = ExchangeRate & {
  contractId: string;
  accountId: string;
  /** What may still be paid at it, in the other currency. */
  remaining: Money;
  expiresAt: Temporal.Instant;
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
 * - `failed`: the bank could not process this payment now. It is tried again later; if it is
 *   `inDoubt`, the bank is asked about it first.
 */
export type PaymentOutcome =
  | { state: "reserved" }
  | { state: "refused"; reason: Reason }
  | { state: "pending"; askAt: Temporal.Instant }
  | { state: "settled"; posted: boolean }
  | { state: "returned"; reason: Reason }
  | { state: "unknown" }
  | { state: "failed"; inDoubt: boolean };

/** What the charges of a payment depend on. */
export type ChargedPayment = {
  /** The kind of its consent. */
  kind: KindId;
  localInstrument: string | null;
  /** How it travels abroad; null for a payment within the country. */
  network: InternationalTerms["network"] | null;
  /** Who is to bear the charges, as the TPP asked (`Shared`); null leaves it to the bank. */
  chargeBearer: string | null;
  isUrgent: boolean;
  /** Null for a standing order with several amounts. */
  amount: StatedAmount | null;
};

/** A charge for a payment, in the standard's terms; a payment has charges in one currency only. */
export type BankCharge = { chargeBearer: string; type: string; amount: StatedAmount };

/** What the price of an international payment depends on. */
export type PricedPayment = Pick<PaymentInstruction, "debtorAccountId" | "amount"> & {
  international: InternationalTerms;
};

/**
 * The one interface to a bank's core. Calls on payments take a batch, give one outcome for each in
 * the same order, and are idempotent by `paymentId`: a repeated call gives the outcome of the
 * first. They throw BankError when the whole batch was not dealt with.
 */
export type Bank = {
  /** The customer with this login and password, or null; takes as long either way. */
  authenticate(login: string, password: string): Promise<BankCustomer | null>;
  /** Asks the customer for a second factor that confirms this subject, and nothing else. */
  challenge(customerId: string, subject: ChallengeSubject): Promise<Challenge>;
  /**
   * Checks the code of a challenge. A challenge is answered once: returns false for a wrong code,
   * and for any code once the challenge was answered, has expired or has had too many wrong codes.
   */
  verify(challengeId: string, code: string): Promise<boolean>;
  loadCustomer(customerId: string): Promise<BankCustomer | null>;
  /** The accounts that a customer holds or may sign for, all states, stable order. */
  listAccounts(customerId: string): Promise<BankAccount[]>;
  loadAccount(accountId: string): Promise<BankAccount | null>;
  /** The account of this bank with that identification, or null. */
  findAccount(schemeName: string, identification: string): Promise<BankAccount | null>;
  loadFunds(accountIds: string[]): Promise<Map<string, AccountFunds>>;
  /** Oldest first. */
  listBeneficiaries(customerId: string): Promise<Beneficiary[]>;
  /** Puts a payee on the customer's list; false when the account is on it already. */
  saveBeneficiary(
    customerId: string,
    payee: Pick<Beneficiary, "creditor" | "creditorBic" | "reference">,
  ): Promise<boolean>;
  /** False when the customer has no such beneficiary. */
  trustBeneficiary(customerId: string, id: string, isTrusted: boolean): Promise<boolean>;
  removeBeneficiary(customerId: string, id: string): Promise<boolean>;
  /** The mandates of the accounts that a customer holds or may sign for, living ones first. */
  listDirectDebits(customerId: string): Promise<DirectDebit[]>;
  /** Ends a mandate: nothing is collected any more. False when the customer has no living one. */
  cancelDirectDebit(customerId: string, id: string): Promise<boolean>;
  /** Whether a debit of this amount would be covered now. */
  confirmFunds(accountId: string, amount: Money): Promise<boolean>;
  /**
   * The bank's tariff: what it charges for a payment. It is known without a call to the core, so
   * that consents can be created while the core is away. An empty list is no charge.
   */
  chargesOf(payment: ChargedPayment): BankCharge[];
  /** The currencies that the bank exchanges and sends. */
  exchangeCurrencies: readonly string[];
  /**
   * What the unit currency is worth in the other one: firm for some time (Actual), or as it is now
   * (Indicative). Null when the bank does not exchange them, or quotes nothing firm at this hour.
   */
  quoteRate(
    pair: Pick<ExchangeRate, "unitCurrency" | "otherCurrency">,
    type: "Actual" | "Indicative",
  ): Promise<RateQuote | null>;
  loadContract(contractId: string): Promise<ExchangeContract | null>;
  /** What an international payment would come to now; null when it cannot be made like that. */
  price(payment: PricedPayment): Promise<Price | null>;
  /** Sets the funds aside: `reserved` or `refused`. */
  reserve(payments: PaymentInstruction[]): Promise<PaymentOutcome[]>;
  /** Executes reserved payments: `settled`, `pending` or `refused`. */
  execute(payments: PaymentInstruction[]): Promise<PaymentOutcome[]>;
  /** What has become of payments: never changes anything but what the scheme's answer does. */
  ask(paymentIds: string[]): Promise<PaymentOutcome[]>;
  /** Gives reserved funds back: for orders refused or cancelled before execution. */
  release(paymentIds: string[]): Promise<void>;
  /** Closes what the core has opened, when no more calls are made; a core need not have it. */
  close?(): Promise<void>;
};

/** `refused`: do not try again; `retry`: nothing was done; `unknown`: ask before trying again. */
export class BankError extends Error {
  readonly outcome: "refused" | "retry" | "unknown";
  constructor(outcome: BankError["outcome"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

const bankErrorOutcomes: readonly unknown[] = ["refused", "retry", "unknown"];

/**
 * Returns the outcome of an error of the port, or null for any other error. The member `outcome`
 * is what counts, not the class: a core may have its own copy of BankError.
 */
export function bankErrorOutcome(error: unknown): BankError["outcome"] | null {
  if (typeof error !== "object" || error === null) return null;
  const { outcome } = error as { outcome?: unknown };
  return bankErrorOutcomes.includes(outcome) ? (outcome as BankError["outcome"]) : null;
}

import type { Money } from "#src/lib/money.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type {
  AssessedConsent,
  AssessedOrder,
  Assessment,
  OrderAssessment,
  PayeeCheck,
} from "./assessment.ts";
import type { FactorCalls } from "./challenge.ts";
import type { Notice } from "./notice.ts";
import type { BankAbout } from "./parts.ts";
import type { PaymentContext } from "./payment-context.ts";

/** An account as the bank's core knows it. */
export type BankAccount = {
  accountId: string;
  accountType: "Personal" | "Business";
  accountSubType: AccountKind;
  currency: string;
  nickname: string | null;
  holderName: string;
  sortCodeAccountNumber: string | null;
  /** The roll number of a building society's account; a core without such accounts may omit it. */
  secondaryIdentification?: string | null;
  iban: string | null;
  maskedPan: string | null;
  /** How many holders must sign a payment. */
  signatoriesRequired: number;
  status: "Enabled" | "Disabled" | "Deleted";
};

/**
 * The booked and the available balance of an account now, in minor units; negative if overdrawn.
 */
export type AccountFunds = { bookedMinor: bigint; availableMinor: bigint; currency: string };

/** An account in a list, with its balances if the caller asked for them and the bank has them. */
export type ListedAccount = BankAccount & { funds?: AccountFunds | null };

/** A customer; `login` is the user ID that the journey asks for. */
export type BankCustomer = { customerId: string; login: string; name: string };

/** A customer who may sign for an account, as other signatories know that person. */
export type Signatory = Pick<BankCustomer, "customerId" | "name">;

/** A party's account in the standard's terms, as the TPP sent it. */
export type AccountReference = {
  schemeName: string;
  identification: string;
  name: string | null;
  secondaryIdentification: string | null;
};

/** A foreign bank, identified by its BIC or by its name and country. */
export type AgentReference = { bic: string | null; name: string | null; country: string | null };

/**
 * The additional terms of an international payment, or of a payment in a currency other than the
 * account's.
 */
export type InternationalTerms = {
  /** The currency that the creditor receives. The amount is in this currency or the account's. */
  transferCurrency: string;
  /** The promised rate, from the account's currency; null for the bank's rate at the time. */
  rate: string | null;
  /** The contract of an agreed rate. */
  contractId: string | null;
  /** The bank's charge to the debtor, in addition to the amount, in any currency; null for none. */
  charge: Money | null;
  /** The bank's deduction from what the creditor gets, in any currency; null for none. */
  deduction: Money | null;
  /** The payment network. */
  network: "SEPA" | "SEPAInstant" | "SWIFT";
  creditorAgent: AgentReference | null;
  /** Whether the funds are reserved when the order is created, even if it is executed later. */
  fundsAtOnce: boolean;
};

/** A payee. The list belongs to the customer. */
export type Beneficiary = {
  beneficiaryId: string;
  creditor: AccountReference;
  /** BIC of the payee's bank; null if the account number identifies the bank. */
  creditorBic: string | null;
  /** The reference of each payment, up to 35 characters; null for none. */
  reference: string | null;
  /** Whether the customer has marked the payee as trusted. */
  isTrusted: boolean;
};

/** A statement, by the ids of the feed, and the customer who has approved that it is read. */
export type StatementReference = { accountId: string; statementId: string; customerId: string };

/** A mandate: an originator may collect from an account. */
export type DirectDebit = {
  directDebitId: string;
  accountId: string;
  originatorName: string;
  mandateReference: string;
  isActive: boolean;
  /** When the next collection is expected; null if there will be none. */
  nextAt: Temporal.Instant | null;
  /** The newest collection; null if there was none. */
  previous: { at: Temporal.Instant; amount: Money } | null;
};

/**
 * A payment to be executed. `paymentId` is the idempotency key of every call about it: at most 40
 * characters, and the same if Aldgate is restored from a backup that does not have the payment.
 */
export type PaymentInstruction = {
  paymentId: string;
  debtorAccountId: string;
  /** In the account's currency unless `international` says otherwise. */
  amount: Money;
  /** The bank's charge to the debtor, in the same currency; null for none. */
  charge: Money | null;
  creditor: AccountReference;
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  /**
   * Null for a domestic payment in the account's currency. If it is set, the outer `charge` is
   * null.
   */
  international: InternationalTerms | null;
  /** Whether the payment belongs to a standing order, which the debtor's statement shows. */
  isStandingOrder?: boolean;
  /** In `reserve` only, if the core has `readsContext`. */
  context?: PaymentContext;
};

/** The price of an international payment. */
export type Price = {
  /** The debit, in the account's currency. */
  debit: Money;
  /** The bank's charge, in the account's currency; null for none. */
  charge: Money | null;
  /** The amount sent to the creditor's bank, in the transfer currency, after any deduction. */
  credit: Money;
  /** The deduction, in the same currency; null for none. */
  deducted: Money | null;
  /**
   * The rate from the account's currency to the transfer currency; null if nothing is exchanged.
   */
  rate: ExchangeRate | null;
};

/**
 * The value of one unit of a currency in another currency: a decimal such as `1.1742`. Source: PISP
 * resource pages, International Payment Consents, OBExchangeRate2: 1 UnitCurrency = ExchangeRate ×
 * other currency.
 */
export type ExchangeRate = { unitCurrency: string; otherCurrency: string; rate: string };

/** A quoted rate. It is guaranteed until `expiresAt`, or not guaranteed if that is null. */
export type RateQuote = ExchangeRate & { expiresAt: Temporal.Instant | null };

/** A rate that bank and customer have agreed for payments from one account. */
export type ExchangeContract = ExchangeRate & {
  contractId: string;
  accountId: string;
  /** The amount that can still be paid under the contract, in the other currency. */
  remaining: Money;
  expiresAt: Temporal.Instant;
};

/** An ISO 20022 reason (`AM04`) with the code's name. */
export type Reason = { code: string; text: string };

/**
 * The outcome of a payment. A charge on top is debited together with the amount, and is not
 * refunded with it.
 * - `reserved`: the funds are reserved.
 * - `held`: the funds are reserved, and the bank reviews the payment; call `execute` again then.
 * - `refused`: final; nothing is reserved, and no money moved.
 * - `pending`: the debtor is debited and the scheme has not responded; ask again at `askAt`.
 * - `settled`: the debtor is debited and the creditor credited. `posted` is false if the creditor's
 *   bank has accepted the payment but not yet posted it (ACWP).
 * - `returned`: the scheme refused the payment after the debit; the debtor was refunded.
 * - `unknown`: the bank does not know the payment.
 * - `failed`: the bank could not process this payment now and will be called again later; if
 *   `inDoubt` is true, it is asked about the payment first.
 */
export type PaymentOutcome =
  | { state: "reserved" }
  | { state: "held"; until: Temporal.Instant }
  | { state: "refused"; reason: Reason }
  | { state: "pending"; askAt: Temporal.Instant }
  | { state: "settled"; posted: boolean }
  | { state: "returned"; reason: Reason }
  | { state: "unknown" }
  | { state: "failed"; inDoubt: boolean };

/** A payment that the core has received, in its own list. */
export type ReceivedPayment = {
  paymentId: string;
  debtorAccountId: string;
  amount: Money;
  receivedAt: Temporal.Instant;
};

/** The facts on which the charges of a payment depend. */
export type ChargedPayment = {
  /** The kind of its consent. */
  kind: KindId;
  localInstrument: string | null;
  /** The network of an international payment; null for a domestic payment. */
  network: InternationalTerms["network"] | null;
  /** Who bears the charges, as requested by the TPP (`Shared`); null leaves it to the bank. */
  chargeBearer: string | null;
  isUrgent: boolean;
  /** Null for a standing order with several amounts. */
  amount: Money | null;
};

/** A charge for a payment, in the standard's terms; a payment has charges in one currency only. */
export type BankCharge = { chargeBearer: string; type: string; amount: Money };

/** The facts on which the price of an international payment depends. */
export type PricedPayment = Pick<PaymentInstruction, "debtorAccountId" | "amount"> & {
  international: InternationalTerms;
};

/**
 * The one interface to a bank's core. Calls on payments take a batch, return one outcome per
 * payment in the same order, and are idempotent by `paymentId` for ever: the call for a known
 * payment returns its outcome and changes nothing. They throw BankError if the whole batch could
 * not be processed.
 */
export type Bank = FactorCalls & {
  /** What the core has. A core may omit it: it then has every part. */
  about?: BankAbout;
  /** Returns the customer with this login and password, or null, in the same time either way. */
  authenticate(login: string, password: string): Promise<BankCustomer | null>;
  /**
   * Returns a customer by the core's own id, or by the `sub` of a login at the bank's OpenID
   * provider. The two may be the same.
   */
  loadCustomer(customerId: string, isSubject?: boolean): Promise<BankCustomer | null>;
  /** The accounts that a customer holds or may sign for, in any status and in a stable order. */
  listAccounts(customerId: string, wanted?: { funds: boolean }): Promise<ListedAccount[]>;
  loadAccount(accountId: string): Promise<BankAccount | null>;
  /**
   * Finds the account of this bank with that identification, among those that are not closed.
   * Several accounts may share a number: the one with the given secondary identification is
   * meant. Returns "ambiguous" if it was left out and several accounts have the number, and null if
   * there is no such account.
   */
  findAccount(
    schemeName: string,
    identification: string,
    secondaryIdentification: string | null,
  ): Promise<BankAccount | "ambiguous" | null>;
  /** The balances of accounts, if `listAccounts` does not give them. */
  loadFunds(accountIds: string[]): Promise<Map<string, AccountFunds>>;
  /** Lists the customer's payees, oldest first. */
  listBeneficiaries(customerId: string): Promise<Beneficiary[]>;
  /** Adds a payee to the customer's list. Returns false if the account is already on it. */
  saveBeneficiary(
    customerId: string,
    payee: Pick<Beneficiary, "creditor" | "creditorBic" | "reference">,
  ): Promise<boolean>;
  /** Marks a payee as trusted or not. Returns false if the customer has no such payee. */
  trustBeneficiary(customerId: string, id: string, isTrusted: boolean): Promise<boolean>;
  removeBeneficiary(customerId: string, id: string): Promise<boolean>;
  /**
   * Lists the mandates of the accounts that a customer holds or may sign for, active ones first.
   */
  listDirectDebits(customerId: string): Promise<DirectDebit[]>;
  /**
   * Ends a mandate, so that nothing more is collected. Returns false if the customer has no such
   * active mandate.
   */
  cancelDirectDebit(customerId: string, id: string): Promise<boolean>;
  /** Whether a debit of this amount would be covered now: never if the account is not Enabled. */
  confirmFunds(accountId: string, amount: Money): Promise<boolean>;
  /**
   * Returns the bank's charges for a payment according to its tariff; an empty list means no
   * charge. This must work without a call to the core, so that consents can be created while the
   * core is unavailable.
   */
  chargesOf(payment: ChargedPayment): BankCharge[];
  /** The currencies that the bank exchanges and sends. */
  exchangeCurrencies: readonly string[];
  /**
   * Whether `reserve` and `assessOrder` are given the context, which costs a statement per call. A
   * core may omit it: it is then not given.
   */
  readsContext?: boolean;
  /**
   * Whether `assess` may attach data to a consent, which Aldgate keeps encrypted and gives back.
   * This costs a statement per call. A core may omit it: what it attaches is then not kept.
   */
  attachesData?: boolean;
  /**
   * Quotes the value of the unit currency in the other currency: guaranteed for some time (Actual),
   * or the current value (Indicative). Returns null if the bank does not exchange these currencies,
   * or gives no guaranteed rate now.
   */
  quoteRate(
    pair: Pick<ExchangeRate, "unitCurrency" | "otherCurrency">,
    type: "Actual" | "Indicative",
  ): Promise<RateQuote | null>;
  loadContract(contractId: string): Promise<ExchangeContract | null>;
  /**
   * Returns the price of an international payment now, or null if it cannot be made on these terms.
   */
  price(payment: PricedPayment): Promise<Price | null>;
  /** Reserves the funds: `reserved` or `refused`. */
  reserve(payments: PaymentInstruction[]): Promise<PaymentOutcome[]>;
  /** Executes reserved payments: `settled`, `pending`, `held` or `refused`. */
  execute(payments: PaymentInstruction[]): Promise<PaymentOutcome[]>;
  /**
   * Returns the outcomes of payments. It changes nothing itself, but may process the scheme's
   * response.
   */
  ask(paymentIds: string[]): Promise<PaymentOutcome[]>;
  /** Releases reserved funds, for orders that are refused or cancelled before execution. */
  release(paymentIds: string[]): Promise<void>;
  /**
   * Lists the payments that `reserve` has received since a time, whatever became of them, page by
   * page in a fixed order: those after the payment `after`, or the first; none at the end. With
   * this list, `./aldgate reconcile` finds payments that only the core knows. A core may omit it.
   */
  listPayments?(since: Temporal.Instant, after: string | null): Promise<ReceivedPayment[]>;
  /**
   * Lists the customers who may sign for an account, in the order in which pages name them. A core
   * may omit it: pages then say only how many must still approve.
   */
  listSignatories?(accountId: string): Promise<Signatory[]>;
  /**
   * Asks the payee's bank whether the account belongs to the name (confirmation of payee). A core
   * may omit it: names are then not checked.
   */
  confirmPayee?(creditor: AccountReference): Promise<PayeeCheck>;
  /**
   * Decides whether a customer may authorise a consent, after the customer's approval. A core may
   * omit it: nothing is then asked.
   */
  assess?(consent: AssessedConsent): Promise<Assessment>;
  /** Decides whether an order is accepted, and from when it is paid. A core may omit it. */
  assessOrder?(order: AssessedOrder): Promise<OrderAssessment>;
  /**
   * Returns a statement as PDF, as the bank gives it to its customer; null if it has none. A core
   * may omit it: statements are then tables only.
   */
  loadStatementDocument?(statement: StatementReference): Promise<Uint8Array | null>;
  /**
   * Tells the core what has happened to consents and orders, in the order of the history. Aldgate
   * tells the next notices once the call resolves, and otherwise the same ones again. A core may
   * omit it: it is then told nothing.
   */
  tell?(notices: readonly Notice[]): Promise<void>;
  /** Releases the core's resources, after the last call. A core may omit it. */
  close?(): Promise<void>;
};

/** The members that every core has, whatever its parts. */
type EveryCore = Pick<
  Bank,
  "authenticate" | "challenge" | "verify" | "loadCustomer" | "listAccounts"
>;

/**
 * A bank's core as its module creates it: it may omit the calls that only parts need which it does
 * not have, and those that a core may always omit.
 */
export type OwnCore = EveryCore & Partial<Bank>;

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
 * Returns the outcome of an error of the port, or null for any other error. It checks the member
 * `outcome`, not the class, because a core may have its own copy of BankError.
 */
export function bankErrorOutcome(error: unknown): BankError["outcome"] | null {
  if (typeof error !== "object" || error === null) return null;
  const { outcome } = error as { outcome?: unknown };
  return bankErrorOutcomes.includes(outcome) ? (outcome as BankError["outcome"]) : null;
}

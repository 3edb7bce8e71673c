// What the module of a bank's own core imports, as `aldgate/port`: types, and the error of the port
// (docs/own-core.md). Everything else of the package may change without notice.

export type { AccountFeed, FeedResult } from "#src/account-store/account-feed.ts";
export type { RefusedFact } from "#src/account-store/check-facts.ts";
export type {
  AccountFact,
  AgentFact,
  Balance,
  BalancesFact,
  BeneficiaryFact,
  CreditLine,
  CreditorFact,
  DirectDebitFact,
  HolderFact,
  LocalAmount,
  OfferFact,
  PartyContact,
  PartyFact,
  ProductFact,
  ScheduledPaymentFact,
  StandingOrderFact,
  StatementCost,
  StatementFact,
  StatementOccasion,
  Versioned,
} from "#src/account-store/facts.ts";
export type { AccountChanges, FeedPosition } from "#src/account-store/feed.ts";
export type { Loaded, LoadOptions } from "#src/account-store/load-changes.ts";
export type {
  Agent,
  CardUse,
  Counterparty,
  CurrencyExchange,
  IntermediaryAgent,
  TransactionFact,
  TransactionParticulars,
  TransactionStatus,
  TransactionStatusChange,
  UltimateParty,
} from "#src/account-store/transaction.ts";
export type {
  AssessedConsent,
  AssessedFile,
  AssessedOrder,
  Assessment,
  OrderAssessment,
} from "#src/bank/assessment.ts";
export type {
  AppOffer,
  AwaitedJourney,
  Challenge,
  ChallengeRequest,
  ChallengeResult,
  ChallengeSubject,
  ConfirmedDetail,
} from "#src/bank/challenge.ts";
export type { Notice, Occasion } from "#src/bank/notice.ts";
export type { BankAbout, BankPart } from "#src/bank/parts.ts";
export type {
  CustomerDevice,
  OrderingTpp,
  PaymentApproval,
  PaymentContext,
  SentBody,
} from "#src/bank/payment-context.ts";
export type {
  AccountFunds,
  AccountReference,
  AgentReference,
  Bank,
  BankAccount,
  BankCharge,
  BankCustomer,
  Beneficiary,
  ChargedPayment,
  DirectDebit,
  ExchangeContract,
  ExchangeRate,
  InternationalTerms,
  ListedAccount,
  OwnCore,
  PaymentInstruction,
  PaymentOutcome,
  Price,
  PricedPayment,
  RateQuote,
  Reason,
  ReceivedPayment,
  Signatory,
  StatementReference,
} from "#src/bank/port.ts";
// biome-ignore lint/performance/noBarrelFile: a public module of the package
export { BankError } from "#src/bank/port.ts";
export type { Clock } from "#src/lib/clock.ts";
export type { Money } from "#src/lib/money.ts";
export type { BankContext, TestCustomer } from "#src/server/opening/bank-context.ts";
export type { Database } from "#src/storage/database.ts";

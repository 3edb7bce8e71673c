import { formatInstant } from "#src/lib/date-time.ts";
import { formatAmount, type Money } from "#src/lib/money.ts";

/** What the bank books, by the code that it prints on its own statements. */
export type TransactionType = keyof typeof bankCodes;

// Code and SubCode are the long names of the ISO 20022 bank transaction code set without
// delimiters. Source: digest 3.4, A-187.
const bankCodes = {
  BPO: ["IssuedCreditTransfers", "ACHCreditTransfer"],
  FPI: ["ReceivedCreditTransfers", "DomesticCreditTransfer"],
  FPO: ["IssuedCreditTransfers", "DomesticCreditTransfer"],
  IPI: ["ReceivedCreditTransfers", "CrossBorderCreditTransfer"],
  IPO: ["IssuedCreditTransfers", "CrossBorderCreditTransfer"],
  SPI: ["ReceivedCreditTransfers", "SEPACreditTransfer"],
  SPO: ["IssuedCreditTransfers", "SEPACreditTransfer"],
  RET: ["IssuedCreditTransfers", "ReversalDueToPaymentReturn"],
  BGC: ["ReceivedCreditTransfers", "ACHCreditTransfer"],
  PAY: ["ReceivedCreditTransfers", "PayrollSalaryPayment"],
  SO: ["IssuedCreditTransfers", "StandingOrder"],
  TFR: ["IssuedCreditTransfers", "InternalBookTransfer"],
  TFI: ["ReceivedCreditTransfers", "InternalBookTransfer"],
  DD: ["IssuedDirectDebits", "DirectDebitPayment"],
  DEB: ["CustomerCardTransactions", "PointOfSalePaymentDebitCard"],
  CC: ["CustomerCardTransactions", "CreditCardPayment"],
  RFD: ["CustomerCardTransactions", "ReimbursementCredit"],
  CPT: ["CustomerCardTransactions", "CashWithdrawal"],
  TKG: ["MerchantCardTransactions", "PointOfSalePayment"],
  INT: ["MiscellaneousCreditOperations", "Interest"],
  IND: ["MiscellaneousDebitOperations", "Interest"],
  CHG: ["MiscellaneousDebitOperations", "Charges"],
} as const satisfies Record<string, readonly [string, string]>;

/** The card that a transaction was made with. */
export type CardUse = {
  scheme: "MasterCard" | "VISA";
  authorisation: "ConsumerDevice" | "Contactless" | "None" | "PIN";
  maskedPan: string;
};

/** An account of the other party; the scheme is namespaced (`UK.OBIE.IBAN`). */
export type Counterparty = {
  schemeName: string;
  identification: string;
  name: string | null;
  secondaryIdentification: string | null;
};

/** What was exchanged for what: one of the unit currency is that many of the target. */
export type ShownExchange = {
  sourceCurrency: string;
  targetCurrency: string;
  unitCurrency: string;
  rate: string;
  contractId: string | null;
  /** What was ordered, in the other currency than the line's. */
  instructed: Money;
};

/** One line of an account, as it is to be shown. */
export type TransactionFacts = {
  accountId: string;
  transactionId: string;
  type: TransactionType;
  indicator: "Credit" | "Debit";
  /** `Rejected`: it was to be booked and was not, such as a direct debit that went back unpaid. */
  status: "Booked" | "Pending" | "Rejected";
  /** When it was booked or rejected; when it is expected to be, while it is pending. */
  bookedAt: Temporal.Instant;
  /** When the money counts; null is when it was booked. */
  valueAt: Temporal.Instant | null;
  amount: Money;
  /** What the parties call it: an end-to-end id; null when there is none. */
  reference: string | null;
  information: string;
  card: CardUse | null;
  merchant: { name: string; categoryCode: string } | null;
  counterparty: Counterparty | null;
  /** Absent when nothing was exchanged. */
  exchange?: ShownExchange | null;
};

/** A transaction's JSON members without braces: what Basic shows, and what Detail adds. */
export type TransactionMembers = { basicMembers: string; detailMembers: string };

/**
 * Renders an account's transaction in the shape of account information v3.1. A card number is
 * masked whatever is given. Source: digest 3.4, OBTransaction6, A-170, A-183…A-188.
 */
export function renderTransaction(facts: TransactionFacts): TransactionMembers {
  const { amount, indicator, status, card, counterparty } = facts;
  const [code, subCode] = bankCodes[facts.type];
  const bookedAt = formatInstant(facts.bookedAt);
  const basic = {
    AccountId: facts.accountId,
    TransactionId: facts.transactionId,
    TransactionReference: facts.reference?.slice(0, 210) || undefined,
    CreditDebitIndicator: indicator,
    Status: status,
    TransactionMutability: status === "Booked" ? "Immutable" : undefined,
    BookingDateTime: bookedAt,
    ValueDateTime: facts.valueAt === null ? bookedAt : formatInstant(facts.valueAt),
    Amount: {
      Amount: formatAmount(amount.amountMinor, amount.currency),
      Currency: amount.currency,
    },
    CurrencyExchange: facts.exchange ? renderExchange(facts.exchange) : undefined,
    BankTransactionCode: { Code: code, SubCode: subCode },
    ProprietaryBankTransactionCode: { Code: facts.type, Issuer: "Aldgate" },
    CardInstrument: card === null ? undefined : renderCard(card),
  };
  const party = counterparty === null ? undefined : renderParty(counterparty);
  const detail = {
    TransactionInformation: facts.information.slice(0, 500) || undefined,
    MerchantDetails:
      facts.merchant === null
        ? undefined
        : {
            MerchantName: facts.merchant.name,
            MerchantCategoryCode: facts.merchant.categoryCode,
          },
    ...(indicator === "Debit" ? { CreditorAccount: party } : { DebtorAccount: party }),
  };
  return { basicMembers: members(basic), detailMembers: members(detail) };
}

// JSON.stringify leaves out what is undefined
const members = (object: object): string => JSON.stringify(object).slice(1, -1);

const renderCard = ({ scheme, authorisation, maskedPan }: CardUse): object => ({
  CardSchemeName: scheme,
  AuthorisationType: authorisation,
  Identification: maskPan(maskedPan),
});

const renderExchange = (exchange: ShownExchange): object => ({
  SourceCurrency: exchange.sourceCurrency,
  TargetCurrency: exchange.targetCurrency,
  UnitCurrency: exchange.unitCurrency,
  ExchangeRate: Number(exchange.rate),
  ContractIdentification: exchange.contractId?.slice(0, 35) ?? undefined,
  InstructedAmount: {
    Amount: formatAmount(exchange.instructed.amountMinor, exchange.instructed.currency),
    Currency: exchange.instructed.currency,
  },
});

function renderParty(party: Counterparty): object {
  const isCard = party.schemeName === "UK.OBIE.PAN";
  return {
    SchemeName: party.schemeName,
    Identification: isCard ? maskPan(party.identification) : party.identification,
    Name: party.name || undefined,
    SecondaryIdentification: party.secondaryIdentification || undefined,
  };
}

/** A card number of which the last four digits are left: `**** **** **** 4444`. */
export const maskPan = (pan: string): string => `**** **** **** ${pan.slice(-4)}`;

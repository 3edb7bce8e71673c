/**
 * The names of ISO 20022 codes in every version: those of a bank transaction code's family and
 * sub-family, without spaces. Source: A-187.
 */
const families: { [code: string]: string } = {
  CCRD: "CustomerCardTransactions",
  CNTR: "CounterTransactions",
  DRFT: "Drafts",
  ICCN: "IssuedCashConcentrationTransactions",
  ICDT: "IssuedCreditTransfers",
  ICHQ: "IssuedCheques",
  IDDT: "IssuedDirectDebits",
  IRCT: "IssuedRealTimeCreditTransfers",
  LBOX: "LockboxTransactions",
  MCOP: "MiscellaneousCreditOperations",
  MCRD: "MerchantCardTransactions",
  MDOP: "MiscellaneousDebitOperations",
  OTHR: "Other",
  RCCN: "ReceivedCashConcentrationTransactions",
  RCDT: "ReceivedCreditTransfers",
  RCHQ: "ReceivedCheques",
  RDDT: "ReceivedDirectDebits",
  RRCT: "ReceivedRealTimeCreditTransfers",
};

const subFamilies: { [code: string]: string } = {
  ACDT: "ACHCreditTransfer",
  AUTT: "AutomaticTransfer",
  BCDP: "BranchDeposit",
  BCHQ: "BankCheque",
  BOOK: "InternalBookTransfer",
  CDPT: "CashDeposit",
  CHRG: "Charges",
  CWDL: "CashWithdrawal",
  DMCT: "DomesticCreditTransfer",
  ESCT: "SEPACreditTransfer",
  ESDD: "SEPACoreDirectDebit",
  INTR: "Interest",
  PMDD: "DirectDebitPayment",
  POSC: "CreditCardPayment",
  POSD: "PointOfSalePaymentDebitCard",
  POSP: "PointOfSalePayment",
  RIMB: "ReimbursementCredit",
  RRTN: "ReversalDueToPaymentReturn",
  SALA: "PayrollSalaryPayment",
  STDO: "StandingOrder",
  XBCT: "CrossBorderCreditTransfer",
};

/**
 * Returns the `BankTransactionCode` for an ISO 20022 code (`PMNT-ICDT-DMCT`). Returns null if this
 * table has no name for the code, which is then not shown.
 */
export function nameTransactionCode(isoCode: string): { Code: string; SubCode: string } | null {
  const [, family = "", subFamily = ""] = isoCode.split("-");
  const Code = families[family];
  const SubCode = subFamilies[subFamily];
  return Code && SubCode ? { Code, SubCode } : null;
}

import type { TransactionFact } from "#src/account-store/transaction.ts";

/** The sandbox bank's transaction types, named by the codes on its statements. */
export type TransactionType = keyof typeof isoCodes;

// ISO 20022 bank transaction codes: domain, family and sub-family. Source: A-187.
const isoCodes = {
  BPO: "PMNT-ICDT-ACDT",
  FPI: "PMNT-RCDT-DMCT",
  FPO: "PMNT-ICDT-DMCT",
  IPI: "PMNT-RCDT-XBCT",
  IPO: "PMNT-ICDT-XBCT",
  SPI: "PMNT-RCDT-ESCT",
  SPO: "PMNT-ICDT-ESCT",
  RET: "PMNT-ICDT-RRTN",
  BGC: "PMNT-RCDT-ACDT",
  PAY: "PMNT-RCDT-SALA",
  SO: "PMNT-ICDT-STDO",
  TFR: "PMNT-ICDT-BOOK",
  TFI: "PMNT-RCDT-BOOK",
  DD: "PMNT-IDDT-PMDD",
  DEB: "PMNT-CCRD-POSD",
  CC: "PMNT-CCRD-POSC",
  RFD: "PMNT-CCRD-RIMB",
  CPT: "PMNT-CCRD-CWDL",
  TKG: "PMNT-MCRD-POSP",
  INT: "ACMT-MCOP-INTR",
  IND: "ACMT-MDOP-INTR",
  CHG: "ACMT-MDOP-CHRG",
} as const;

// safe: the object has no other members
/** All transaction types. */
export const transactionTypes = Object.keys(isoCodes) as TransactionType[];

/** Returns the ISO code and the bank's own code of a transaction type. */
export const transactionCodes = (
  type: TransactionType,
): Pick<TransactionFact, "isoCode" | "bankCode"> => ({
  isoCode: isoCodes[type],
  bankCode: { code: type, issuer: "Aldgate" },
});

/**
 * The version of a new transaction. A pending transaction gets the next version when it is booked.
 */
export const firstVersion = 1n;

/** Returns the members of a new transaction that depend on its type, and those it lacks. */
export const newTransaction = (type: TransactionType) => ({
  ...transactionCodes(type),
  version: firstVersion,
  valueAt: null,
  card: null,
  merchant: null,
  balance: null,
  particulars: null,
});

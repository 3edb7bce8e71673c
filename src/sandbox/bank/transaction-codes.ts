import type { TransactionFact } from "#src/account-store/transaction.ts";

/** The transaction types of the sandbox bank, by the codes on its statements. */
export type TransactionType = keyof typeof isoCodes;

// Domain, family and sub-family of ISO 20022's bank transaction codes. Source: A-187.
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

/** The two codes of a transaction of that type. */
export const transactionCodes = (
  type: TransactionType,
): Pick<TransactionFact, "isoCode" | "bankCode"> => ({
  isoCode: isoCodes[type],
  bankCode: { code: type, issuer: "Aldgate" },
});

/**
 * The first version of a transaction. A transaction that was pending gets the next version when it
 * is booked.
 */
export const firstVersion = 1n;

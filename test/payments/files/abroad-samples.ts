import type { Json } from "#test/payments/answer-check.ts";
import { atRate, dollarConsent, euroConsent } from "#test/payments/international/abroad.ts";
import { json40, type SampleFile } from "./fixture.ts";
import { sampleInitiation, sampleJson } from "./samples.ts";

/** A payment in euros to Germany in the format of a JSON file. `more` replaces members. */
export const euros = (more: Json = {}): Json => ({ ...euroConsent().Data.Initiation, ...more });

/** A payment in dollars to an account in the United States. */
export const dollars = (more: Json = {}): Json => ({ ...dollarConsent().Data.Initiation, ...more });

/** A domestic payment in pounds. */
export const pounds = (more: Json = {}): Json => ({ ...sampleInitiation({}, 1), ...more });

export const amount = (Amount: string, Currency: string): Json => ({
  InstructedAmount: { Amount, Currency },
});

/** A transfer in a pain.001 file. The members are in the order of its elements. */
export type TransferAbroad = {
  /** `<PmtTpInf>` and what follows it, up to the amount. */
  type?: string;
  /** The content of `Amt`: `InstdAmt` or `EqvtAmt`. */
  amount: string;
  /** The elements between the amount and the creditor's bank: the rate and the bearer. */
  terms?: string;
  /** The content of `FinInstnId`; if absent, there is none. */
  agent?: string;
  /** The part of `Cdtr` after the name. */
  creditor?: string;
  /** The content of `CdtrAcct/Id`. */
  account: string;
};

export const instructed = (currency: string, value = "100.00"): string =>
  `<InstdAmt Ccy="${currency}">${value}</InstdAmt>`;

export const iban = (number: string): string => `<IBAN>${number}</IBAN>`;
export const other = (number: string): string => `<Othr><Id>${number}</Id></Othr>`;
export const bic = (code: string): string => `<BICFI>${code}</BICFI>`;

/** Formats a transfer as XML on one line. */
export const transferAbroad = (given: TransferAbroad): string =>
  `<CdtTrfTxInf><PmtId><EndToEndId>A-1</EndToEndId></PmtId>${given.type ?? ""}` +
  `<Amt>${given.amount}</Amt>${given.terms ?? ""}` +
  (given.agent ? `<CdtrAgt><FinInstnId>${given.agent}</FinInstnId></CdtrAgt>` : "") +
  `<Cdtr><Nm>Payee Abroad</Nm>${given.creditor ?? ""}</Cdtr>` +
  `<CdtrAcct><Id>${given.account}</Id></CdtrAcct></CdtTrfTxInf>\n`;

/** Makes a JSON file of these payments. */
export const mixed = (payments: Record<string, readonly object[]>): SampleFile => ({
  fileType: json40,
  text: sampleJson(payments),
});

/** Makes the members of an initiation that request a rate. */
export function rate(...given: Parameters<typeof atRate>): Json {
  const body = { Data: { Initiation: {} } };
  atRate(...given)(body);
  return body.Data.Initiation;
}

import type { Json } from "#test/payments/answer-check.ts";
import { atRate, dollarConsent, euroConsent } from "#test/payments/international/abroad.ts";
import { json40, type SampleFile } from "./fixture.ts";
import { sampleInitiation, sampleJson } from "./samples.ts";

/** Euros to Germany, as a JSON file holds them; what is given replaces members. */
export const euros = (more: Json = {}): Json => ({ ...euroConsent().Data.Initiation, ...more });

/** Dollars to an account in the United States. */
export const dollars = (more: Json = {}): Json => ({ ...dollarConsent().Data.Initiation, ...more });

/** Pounds at home. */
export const pounds = (more: Json = {}): Json => ({ ...sampleInitiation({}, 1), ...more });

export const amount = (Amount: string, Currency: string): Json => ({
  InstructedAmount: { Amount, Currency },
});

/** A transfer of a pain.001 file, in the order that its elements come. */
export type TransferAbroad = {
  /** `<PmtTpInf>` and after it, up to the amount. */
  type?: string;
  /** `InstdAmt` or `EqvtAmt`. */
  amount: string;
  /** What stands between the amount and the creditor's bank: rate, bearer. */
  terms?: string;
  /** In `FinInstnId`; none where it is absent. */
  agent?: string;
  /** In `Cdtr`, behind the name. */
  creditor?: string;
  /** In `CdtrAcct/Id`. */
  account: string;
};

export const instructed = (currency: string, value = "100.00"): string =>
  `<InstdAmt Ccy="${currency}">${value}</InstdAmt>`;

export const iban = (number: string): string => `<IBAN>${number}</IBAN>`;
export const other = (number: string): string => `<Othr><Id>${number}</Id></Othr>`;
export const bic = (code: string): string => `<BICFI>${code}</BICFI>`;

/** Writes it on one line. */
export const transferAbroad = (given: TransferAbroad): string =>
  `<CdtTrfTxInf><PmtId><EndToEndId>A-1</EndToEndId></PmtId>${given.type ?? ""}` +
  `<Amt>${given.amount}</Amt>${given.terms ?? ""}` +
  (given.agent ? `<CdtrAgt><FinInstnId>${given.agent}</FinInstnId></CdtrAgt>` : "") +
  `<Cdtr><Nm>Payee Abroad</Nm>${given.creditor ?? ""}</Cdtr>` +
  `<CdtrAcct><Id>${given.account}</Id></CdtrAcct></CdtTrfTxInf>\n`;

/** A JSON file of these payments. */
export const mixed = (payments: Record<string, readonly object[]>): SampleFile => ({
  fileType: json40,
  text: sampleJson(payments),
});

/** The members of an initiation that ask for a rate. */
export function rate(...given: Parameters<typeof atRate>): Json {
  const body = { Data: { Initiation: {} } };
  atRate(...given)(body);
  return body.Data.Initiation;
}

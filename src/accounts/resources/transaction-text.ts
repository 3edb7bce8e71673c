import type { Agent, TransactionStatus } from "#src/account-store/transaction.ts";
import type { ReadParticulars, StoredTransaction } from "#src/account-store/transaction-rows.ts";
import { currencyExponent } from "#src/lib/money.ts";
import { nameTransactionCode } from "#src/standard/aisp-v3.1/transaction-words.ts";
import type { BalanceKind } from "#src/standard/shared/accounts/facts.ts";

/** The words of a version for a transaction. */
export type TransactionWords = {
  statuses: Readonly<Record<TransactionStatus, string>>;
  balances: Readonly<Record<BalanceKind, string>>;
  /** Members that only this version has, as JSON text that begins with a comma. */
  furtherBasic(particulars: ReadParticulars): string;
  furtherDetail(particulars: ReadParticulars): string;
  furtherOfAgent(agent: Agent): string;
};

/**
 * Renders a transaction as JSON text. A page has many transactions, and text takes a third of the
 * time of objects and their serialization. Detail adds the counterparty, the purpose and the
 * balance. Source: A-170, A-183…A-188, E-034…E-039.
 */
export function renderTransactionText(
  words: TransactionWords,
  facts: StoredTransaction,
  detail: boolean,
): string {
  const { reference, valueAt, isoCode, bankCode, bankCodeIssuer, particulars } = facts;
  const booked = instantText(facts.bookedAt);
  let text = `{"AccountId":${quote(facts.accountId)},"TransactionId":${quote(facts.transactionId)}`;
  if (reference !== null) text += `,"TransactionReference":${quote(reference.slice(0, 210))}`;
  if (particulars?.statementReferences) {
    text += `,"StatementReference":${JSON.stringify(particulars.statementReferences)}`;
  }
  text += `,"CreditDebitIndicator":"${facts.indicator}"`;
  text += `,"Status":"${words.statuses[facts.status]}"`;
  if (facts.status === "Booked") text += ',"TransactionMutability":"Immutable"';
  text += `,"BookingDateTime":"${booked}"`;
  text += `,"ValueDateTime":"${valueAt === null ? booked : instantText(valueAt)}"`;
  if (particulars?.addressLine) text += `,"AddressLine":${quote(particulars.addressLine)}`;
  text += `,"Amount":${amountText(facts.amountMinor, facts.currency)}`;
  if (particulars?.charge) text += `,"ChargeAmount":${moneyText(particulars.charge)}`;
  if (particulars?.exchange) text += `,"CurrencyExchange":${exchangeText(particulars.exchange)}`;
  if (isoCode !== null) text += codeText(isoCode);
  if (bankCode !== null) {
    const issuer = bankCodeIssuer === null ? "" : `,"Issuer":${quote(bankCodeIssuer)}`;
    text += `,"ProprietaryBankTransactionCode":{"Code":${quote(bankCode)}${issuer}}`;
  }
  if (facts.cardScheme !== null) text += cardText(facts);
  if (particulars !== null) text += words.furtherBasic(particulars);
  return `${text}${detail ? detailText(words, facts) : ""}}`;
}

const quote = (text: string): string => JSON.stringify(text);

// Like `formatInstant`, but without creating an instant from the number first.
function instantText(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  return text.endsWith(".000Z") ? `${text.slice(0, -5)}Z` : text;
}

function amountText(amountMinor: number | string, currency: string): string {
  const exponent = currencyExponent(currency);
  const digits = String(amountMinor).padStart(exponent + 1, "0");
  const amount =
    exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
  return `{"Amount":"${amount}","Currency":"${currency}"}`;
}

const moneyText = ({ amountMinor, currency }: { amountMinor: string; currency: string }): string =>
  amountText(amountMinor, currency);

function exchangeText(exchange: NonNullable<ReadParticulars["exchange"]>): string {
  const { sourceCurrency, targetCurrency, unitCurrency, rate, contractId, instructed } = exchange;
  const contract = contractId?.slice(0, 35);
  return (
    `{"SourceCurrency":"${sourceCurrency}","TargetCurrency":"${targetCurrency}",` +
    `"UnitCurrency":"${unitCurrency}","ExchangeRate":${Number(rate)},` +
    `${contract ? `"ContractIdentification":${quote(contract)},` : ""}` +
    `"InstructedAmount":${moneyText(instructed)}}`
  );
}

// Few codes are in use, and each always renders the same.
const codeTexts = new Map<string, string>();

function codeText(isoCode: string): string {
  const known = codeTexts.get(isoCode);
  if (known !== undefined) return known;
  const named = nameTransactionCode(isoCode);
  const text = named === null ? "" : `,"BankTransactionCode":${JSON.stringify(named)}`;
  if (codeTexts.size < 1000) codeTexts.set(isoCode, text);
  return text;
}

function cardText({ cardScheme, cardAuthorisation, cardEnding, particulars }: StoredTransaction) {
  const name = particulars?.cardName;
  return (
    `,"CardInstrument":{"CardSchemeName":"${cardScheme}"` +
    `${cardAuthorisation === null ? "" : `,"AuthorisationType":"${cardAuthorisation}"`}` +
    `${name ? `,"Name":${quote(name)}` : ""}` +
    `${cardEnding === null ? "" : `,"Identification":${quote(maskedPan(cardEnding))}`}}`
  );
}

const maskedPan = (ending: string): string => `**** **** **** ${ending}`;

function detailText(words: TransactionWords, facts: StoredTransaction): string {
  const { information, merchantName, merchantCategoryCode, balanceMinor, balanceType } = facts;
  let text = "";
  if (information !== null) text += `,"TransactionInformation":${quote(information.slice(0, 500))}`;
  if (balanceMinor !== null && balanceType !== null) {
    const indicator = balanceMinor < 0 ? "Debit" : "Credit";
    const type = words.balances[balanceType];
    const amount = amountText(Math.abs(balanceMinor), facts.currency);
    text +=
      `,"Balance":{"CreditDebitIndicator":"${indicator}","Type":"${type}",` + `"Amount":${amount}}`;
  }
  if (merchantName !== null) {
    const code =
      merchantCategoryCode === null ? "" : `,"MerchantCategoryCode":${quote(merchantCategoryCode)}`;
    text += `,"MerchantDetails":{"MerchantName":${quote(merchantName)}${code}}`;
  }
  const side = facts.indicator === "Debit" ? "Creditor" : "Debtor";
  const { particulars } = facts;
  if (particulars?.counterpartyAgent) {
    const agent = particulars.counterpartyAgent;
    text +=
      `,"${side}Agent":{"SchemeName":${quote(agent.schemeName)},` +
      `"Identification":${quote(agent.identification)}${words.furtherOfAgent(agent)}}`;
  }
  if (facts.partyScheme !== null) text += `,"${side}Account":${partyText(facts)}`;
  if (particulars !== null) text += words.furtherDetail(particulars);
  return text;
}

function partyText(facts: StoredTransaction): string {
  const { partyScheme, partyName, particulars } = facts;
  const identification = facts.partyIdentification ?? "";
  const secondary = particulars?.partySecondaryIdentification;
  const shown = partyScheme === "UK.OBIE.PAN" ? maskedPan(identification) : identification;
  return (
    `{"SchemeName":${quote(partyScheme ?? "")},"Identification":${quote(shown)}` +
    `${partyName ? `,"Name":${quote(partyName)}` : ""}` +
    `${secondary ? `,"SecondaryIdentification":${quote(secondary)}` : ""}}`
  );
}

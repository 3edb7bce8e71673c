import { clients400, editorial, type RuleRow } from "./rule.ts";

const noSuchFacts = "conditional: no fact of the sandbox bank needs it";

/** The rules of Account Information v4.0 where it differs from v3.1, and of both at once. */
export const accountV4Rules: readonly RuleRow[] = [
  ["E-001", "every response has the schema of its version, from the same stored facts"],
  // consents
  ["E-002", "one body lodges a consent on either version: AWAU or AwaitingAuthorisation"],
  ["E-003", "an unknown member at the top is ignored on v4.0 and refused on v3.1"],
  ["E-004", "permissions are echoed as sent on both versions"],
  ["E-005", "v4.0 reads a v3.1 consent, with a v4.0 status and the same contents"],
  ["E-006", "v4.0 deletes a v3.1 consent, which then is gone on both versions"],
  ["E-007", "a v4.0 consent is unknown on v3.1: 400"],
  ["E-008", "a v4.0 consent's token reads no data on v3.1: 403"],
  ["E-009", "a v3.1 consent's token reads v4.0 data of the same accounts"],
  ["E-010", "access withdrawn at the bank is CANC with a reason on v4.0, Authorised on v3.1"],
  ["E-011", "re-authentication leads from CANC to AUTH with the same consent and accounts"],
  ["E-012", "an expired consent is EXPD with TKXP on v4.0, Authorised on v3.1; its data is 401"],
  ["E-013", "access that the bank withdraws is CANC with the bank's reasons"],
  ["E-014", "a consent without an expiry never gets one"],
  ["E-015", "v3.1 has no StatusReason"],
  ["E-016", "StatusReason is an array"],
  ["E-017", "an unknown permission is 400 on both versions, and makes no consent"],
  // errors
  ["E-018", "a v4.0 error has a code of four characters and a message"],
  ["E-019", "a v3.1 error has Code, Message and a code of the UK.OBIE form, never a v4.0 code"],
  ["E-020", "an expired token is 401 with TKXP on v4.0, 401 without a body on v3.1"],
  ["E-021", "429 has Retry-After on both versions, and limits are told in headers by a setting"],
  ["E-022", "x-client-id is ignored"],
  // accounts and balances
  ["E-026", "a charge card is CARD on v4.0 and ChargeCard on v3.1"],
  ["E-027", "a type without a v3.1 name is mapped to one, never left out"],
  ["E-028", "how often statements are made is of the code set", noSuchFacts],
  ["E-029", "the format of statements is of the code set", noSuchFacts],
  ["E-030", "how statements are sent is of the code set", noSuchFacts],
  ["E-031", "a cleared balance is INFO on v4.0 and keeps its name on v3.1"],
  ["E-032", "v4.0 has ten types of balance and two of amount"],
  // transactions
  ["E-038", "further proprietary codes are shown on v4.0 only", noSuchFacts],
  ["E-040", "intermediary agents are filled from the first on", noSuchFacts],
  ["E-041", "4.0.0 clients tolerate intermediary agents", clients400],
  ["E-042", "the purpose code CRYP can be left out for 4.0.0 clients", clients400],
  // direct debits and standing orders
  ["E-044", "a v4.0 direct debit has its mandate's facts in MandateRelatedInformation only"],
  ["E-045", "a mandate that no longer pays is Inactive on v3.1 and its true status on v4.0"],
  ["E-047", "a v3.1 standing order always has a frequency of the v3.1 pattern"],
  ["E-049", "a v4.0 frequency never has a count and a point in time together"],
  ["E-050", "a frequency that only v3 can express keeps its v3 text on v4.0"],
  ["E-055", "a v3.1 scheduled payment names the creditor's bank by identification only"],
  // addresses and parties
  ["E-056", "parts of an address that v3.1 lacks are joined into its lines"],
  ["E-057", "names too long for v3.1 move to the address lines, cut to size"],
  ["E-058", "an address without a country is GB on v3.1 and has none on v4.0"],
  ["E-059", "a party's address has at most five lines on v3.1 and seven on v4.0"],
  ["E-061", "proxies are v4.0 only", noSuchFacts],
  // statements and products
  // filters, links and paging
  ["E-068", "Links and Meta are always there and point into the version that was called"],
  // everything
  ["E-070", "v4.0 shows a v3.1 consent nothing for which it lacks a permission"],
  ["E-073", "the documentation has the maps between the versions' codes", editorial],
  ["E-075", "the official test suite passes on both versions", "needs the official test suite"],
];

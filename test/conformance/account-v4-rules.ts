import type { RuleRow } from "./rule.ts";

/**
 * The rules of Account Information v4.0 that differ from v3.1, and the rules about both together.
 */
export const accountV4Rules: readonly RuleRow[] = [
  ["E-001", "every response has the schema of its version, from the same stored facts"],
  // consents
  ["E-002", "the same body creates a consent on either version, as AWAU or AwaitingAuthorisation"],
  ["E-003", "an unknown member at the top is ignored on v4.0 and refused on v3.1"],
  ["E-004", "permissions are returned as sent on both versions"],
  ["E-005", "v4.0 reads a v3.1 consent, with a v4.0 status and the same contents"],
  ["E-006", "v4.0 can delete a v3.1 consent, which is then unknown to both versions"],
  ["E-007", "a v4.0 consent is unknown on v3.1: 400"],
  [
    "E-008",
    "a v4.0 consent's token cannot read data on v3.1: 403, with an error body, which the standard leaves to the bank (decision 0023)",
  ],
  ["E-009", "a v3.1 consent's token reads v4.0 data of the same accounts"],
  [
    "E-010",
    "a consent whose access was withdrawn is CANC with a reason on v4.0 and Authorised on v3.1",
  ],
  ["E-011", "authenticating again moves a consent from CANC to AUTH with the same id and accounts"],
  [
    "E-012",
    "an expired consent is EXPD with TKXP on v4.0 and Authorised on v3.1, and its data is 401",
  ],
  ["E-013", "access that the bank withdraws is CANC with the bank's reasons"],
  ["E-014", "a consent without an expiry never gets one"],
  ["E-015", "v3.1 has no StatusReason"],
  ["E-016", "StatusReason is an array"],
  ["E-017", "an unknown permission is 400 on both versions, and no consent is created"],
  // errors
  ["E-018", "a v4.0 error has a code of four characters and a message"],
  ["E-019", "a v3.1 error has Code, Message and a code of the UK.OBIE form, never a v4.0 code"],
  ["E-020", "an expired token is 401 with TKXP on v4.0, and 401 without a body on v3.1"],
  ["E-021", "429 has Retry-After on both versions, and headers give the limits"],
  ["E-022", "x-client-id is ignored"],
  // accounts and balances
  ["E-023", "Basic hides Account, Servicer and StatementFrequencyAndFormat"],
  ["E-024", "an account has its currency, category and type on both versions"],
  ["E-025", "each version shows an account's type only in its own members"],
  ["E-026", "a charge card is CARD on v4.0 and ChargeCard on v3.1"],
  ["E-027", "a type without a v3.1 name is shown as the nearest v3.1 type"],
  ["E-028", "the frequency of statements is in the code set"],
  ["E-029", "the format of statements is in the code set"],
  ["E-030", "the delivery of statements is in the code set"],
  ["E-031", "a cleared balance is INFO on v4.0 and keeps its name on v3.1"],
  ["E-032", "v4.0 has ten types of balance and two of amount"],
  ["E-033", "both versions show the same balances with the same amounts"],
  ["E-034", "a running balance has a type from the same set as an account's balances"],
  // transactions
  ["E-035", "a future transaction is Pending on v3.1 and FUTR on v4.0"],
  ["E-036", "a transaction that is only for information is shown on v4.0 only"],
  ["E-037", "a transaction has a bank transaction code or a proprietary one on both versions"],
  ["E-038", "further proprietary codes are shown on v4.0 only"],
  ["E-039", "ultimate parties and intermediary agents are Detail members of v4.0 only"],
  ["E-040", "intermediary agents are filled in order, from the first"],
  ["E-041", "transactions have intermediary agents"],
  ["E-042", "transactions have the purpose code CRYP"],
  // direct debits and standing orders
  ["E-043", "a v3.1 direct debit always has its mandate's identification"],
  ["E-044", "a v4.0 direct debit has its mandate's facts in MandateRelatedInformation only"],
  ["E-045", "a mandate that no longer pays is Inactive on v3.1 and has its exact status on v4.0"],
  ["E-046", "a v4.0 standing order has its schedule and reference only in the members of v4.0"],
  ["E-047", "a v3.1 standing order always has a frequency of the v3.1 pattern"],
  ["E-048", "a standing order's reference is a creditor reference on v4.0"],
  ["E-049", "a v4.0 frequency never has a count and a point in time together"],
  ["E-050", "a frequency that only v3 can express keeps its v3 text on v4.0"],
  ["E-051", "the date of recurring payments, classification and reason are v4.0 only"],
  ["E-052", "the number of payments is in the same place on both versions"],
  ["E-053", "a referred document's amount is a string"],
  ["E-054", "Basic hides a standing order's creditor on v4.0"],
  ["E-055", "a v3.1 scheduled payment names the creditor's bank by identification only"],
  // addresses and parties
  ["E-056", "parts of an address without a v3.1 member are joined into the address lines"],
  ["E-057", "street and town names too long for v3.1 move to the address lines, shortened to fit"],
  ["E-058", "an address without a country is GB on v3.1 and has none on v4.0"],
  ["E-059", "a party's address has at most five lines on v3.1 and seven on v4.0"],
  ["E-060", "legal entity identifiers are v4.0 only"],
  ["E-061", "proxies are v4.0 only"],
  // statements and products
  ["E-062", "amounts of statements have BCUR or LCUR on v4.0"],
  [
    "E-063",
    "a statement's rate has at most 40 characters on v4.0: the store refuses every rate of more than nine",
  ],
  ["E-064", "new types of fees and interest may be shown on v3.1, because its code set is open"],
  ["E-065", "a product's codes have at most four letters, digits or underscores"],
  // filters, links and paging
  ["E-066", "both versions accept and ignore a time zone in a filter's date"],
  ["E-067", "a card payment that is not booked has its expected booking date"],
  ["E-068", "Links and Meta are always present, and links stay in the version that was called"],
  ["E-069", "a page's cursor is refused by the other version"],
  // everything
  ["E-070", "v4.0 shows only data for which a v3.1 consent has permission"],
  ["E-071", "if the bank has no data for a mandatory v4.0 member, the member has a default"],
  ["E-072", "both versions mask card numbers in the same way"],
  ["E-073", "the documentation maps the codes of one version to the other's"],
  ["E-074", "both versions show the same ids, amounts, dates and counts"],
  [
    "E-075",
    "the official test suite passes on both versions",
    "run by hand: [official test tools](official-tools.md#results) has the results of the manifests for 3.1.11 and 4.0.0; that for 4.0.1 was not run",
  ],
  ["E-076", "Basic transactions have no texts, balances, merchants or parties"],
];

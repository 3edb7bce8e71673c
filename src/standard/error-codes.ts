/**
 * An error code of a refusal. `statuses` are the allowed HTTP statuses, the usual one first; `name`
 * is the long name of the code set; `text` is the public description.
 */
export type RefusalCode = {
  name: string;
  statuses: readonly [number, ...number[]];
  text: string;
};

const row = <const Statuses extends readonly [number, ...number[]]>(
  name: string,
  statuses: Statuses,
  text: string,
) => ({ name, statuses, text });

/**
 * The codes with which requests are refused. Only this table defines the statuses of a code: a
 * refusal with another status does not compile. If the code set has another status, the reason is
 * next to the row. Source: OBExternalStatusReason1Code; Read/Write profile, Errors; D-401-16.
 */
export const refusalCodes = {
  // 503 while a part of the bank is out of service
  U000: row("UK.OBIE.UnexpectedError", [500, 503], "Something went wrong on our side"),
  U001: row("UK.OBIE.Field.Expected", [400], "Another field makes this field mandatory"),
  U002: row("UK.OBIE.Field.Invalid", [400], "The field has an invalid value"),
  U003: row("UK.OBIE.Field.InvalidDate", [400], "The field has an invalid date"),
  U004: row("UK.OBIE.Field.Missing", [400], "A mandatory field is missing"),
  U005: row("UK.OBIE.Field.Unexpected", [400], "The field is not allowed here"),
  // 406 and 415 for media types: the headers are Accept and Content-Type. 403 for a token of the
  // wrong grant or scope: the header is Authorization. Source: P-005…P-009
  U006: row(
    "UK.OBIE.Header.Invalid",
    [400, 403, 406, 415],
    "The header has a value that is not valid",
  ),
  U007: row("UK.OBIE.Header.Missing", [400], "A mandatory header is missing"),
  U008: row("UK.OBIE.Resource.ConsentMismatch", [400], "The order differs from its consent"),
  U009: row(
    "UK.OBIE.Resource.InvalidConsentStatus",
    [400],
    "The consent's status does not allow this request",
  ),
  // 408 for a body that does not arrive, 413 for one that is too large to be read
  U010: row("UK.OBIE.Resource.InvalidFormat", [400, 408, 413], "The body cannot be read"),
  // 404 and 405 if no operation is served. 403 for a resource of another TPP. Source: P-102, P-176
  U011: row("UK.OBIE.Resource.NotFound", [400, 403, 404, 405], "The resource does not exist"),
  U012: row("UK.OBIE.Rules.AfterCutOffDateTime", [400], "The cut-off time has passed"),
  U013: row("UK.OBIE.Rules.DuplicateReference", [400], "The reference has been used before"),
  U014: row(
    "UK.OBIE.Rules.FailsControlParameters",
    [400],
    "The payment is outside the limits of the consent",
  ),
  U015: row("UK.OBIE.Signature.Invalid", [400], "The signature does not belong to this body"),
  U016: row("UK.OBIE.Signature.InvalidClaim", [400], "A claim of the signature is not valid"),
  U017: row("UK.OBIE.Signature.MissingClaim", [400], "A claim of the signature is missing"),
  U018: row("UK.OBIE.Signature.Malformed", [400], "The signature cannot be read"),
  U019: row("UK.OBIE.Signature.Missing", [400], "The body must be signed"),
  U020: row("UK.OBIE.Signature.Unexpected", [400], "No signature is expected here"),
  U021: row(
    "UK.OBIE.Unsupported.AccountIdentifier",
    [400],
    "The identification does not fit the account scheme",
  ),
  U022: row(
    "UK.OBIE.Unsupported.AccountSecondaryIdentifier",
    [400],
    "This account scheme does not use a secondary identification",
  ),
  U023: row("UK.OBIE.Unsupported.Currency", [400], "The currency is not offered here"),
  U024: row("UK.OBIE.Unsupported.EventType", [400], "The type of event is not offered"),
  U025: row("UK.OBIE.Unsupported.Frequency", [400], "The frequency is not offered"),
  U026: row("UK.OBIE.Unsupported.LocalInstrument", [400], "The local instrument is not offered"),
  U027: row("UK.OBIE.Unsupported.Scheme", [400], "The scheme is not offered"),
  U028: row("UK.OBIE.Reauthenticate", [403], "The customer must authenticate again"),
  // the code set has 409, which two of the POSTs do not declare. Source: P-050, D-401-09
  U029: row("UK.OBIE.Rules.ResourceAlreadyExists", [400, 409, 422], "The resource already exists"),
  AC01: row("IncorrectAccountNumber", [400], "The account number is not valid"),
  AC02: row("InvalidDebtorAccountNumber", [400], "The debtor's account number is not valid"),
  AC03: row("InvalidCreditorAccountNumber", [400], "The creditor's account number is not valid"),
  AC04: row("ClosedAccountNumber", [400], "The account is closed"),
  AC05: row("ClosedDebtorAccountNumber", [400], "The debtor's account is closed"),
  AC06: row("BlockedAccount", [400], "The account is blocked"),
  AC07: row("ClosedCreditorAccountNumber", [400], "The creditor's account is closed"),
  AC14: row(
    "InvalidCreditorAccountType",
    [400],
    "The type of the creditor's account is not supported",
  ),
  AG01: row(
    "TransactionForbidden",
    [400],
    "This transaction is not allowed on accounts of this type",
  ),
  AG03: row("TransactionNotSupported", [400], "This account does not support this transaction"),
  AG08: row("InvalidAccessRights", [403], "The required access right is missing"),
  AM01: row("ZeroAmount", [400], "The amount is zero"),
  AM02: row("NotAllowedAmount", [400], "The amount is above the allowed maximum"),
  AM03: row("NotAllowedCurrency", [400], "The currency is not allowed"),
  AM04: row("InsufficientFunds", [400], "The funds do not cover the amount"),
  AM05: row("Duplication", [400], "The payment is a duplicate"),
  AM09: row("WrongAmount", [400], "The amount is not the agreed amount"),
  AM10: row("InvalidControlSum", [400], "The control sum is not the sum of the amounts"),
  AM12: row("InvalidAmount", [400], "The amount is not valid"),
  AM13: row(
    "AmountExceedsClearingSystemLimit",
    [400],
    "The amount is above the limit of the scheme",
  ),
  AM14: row("AmountExceedsAgreedLimit", [400], "The amount is above the agreed limit"),
  AM18: row("InvalidNumberOfTransactions", [400], "The number of transactions is wrong"),
  BE19: row("InvalidChargeBearerCode", [400], "The charge bearer is not valid for this payment"),
  CH03: row(
    "RequestedExecutionDateOrRequestedCollectionDateTooFarInFuture",
    [400],
    "The date is too far in the future",
  ),
  CH04: row(
    "RequestedExecutionDateOrRequestedCollectionDateTooFarInPast",
    [400],
    "The date is in the past",
  ),
  CH20: row(
    "DecimalPointsNotCompatibleWithCurrency",
    [400],
    "Too many decimal places for the currency",
  ),
  DT01: row("InvalidDate", [400], "The date is not valid"),
  FF01: row("InvalidFileFormat", [400], "The file does not follow its format"),
  NARR: row("Narrative", [400], "The reason is given as text"),
  RC04: row(
    "InvalidCreditorBankIdentifier",
    [400],
    "The identifier of the creditor's bank is not valid",
  ),
  TKSP: row("TokenSuspended", [401], "The token is suspended"),
  TKXP: row("TokenExpired", [401], "The access token has expired"),
} as const satisfies Record<string, RefusalCode>;

/** A code that explains a status and refuses nothing; only ever a `StatusReasonCode`. */
type ExplanationCode = { name: string; text: string };

const explanation = (name: string, text: string): ExplanationCode => ({ name, text });

/** The codes that explain the status of an order or a consent. */
export const explanationCodes = {
  U030: explanation("Payment order successfully received", "The payment order was received"),
  U031: explanation("All checks yet to start", "No check has started"),
  U032: explanation(
    "Customer profile checks completed",
    "The checks of the customer's profile are complete",
  ),
  U033: explanation("Authorisation failed", "The authorisation failed"),
  U034: explanation(
    "Debit to Debtor's account completed. Sent to next agent/scheme",
    "Debited, and sent to the next agent or scheme",
  ),
  U035: explanation("Consent already consumed", "The consent has been used already"),
  U036: explanation(
    "Authorisation not completed",
    "The customer has not completed the authorisation",
  ),
  U037: explanation("Authorisation failed", "At least one authoriser refused"),
  U038: explanation("Consent consumed successfully", "The consent was used for an order"),
  U039: explanation("Reinstate not allowed any more", "Reinstating is no longer allowed"),
  U040: explanation("Awaiting multiple authentication", "More authorisers must approve"),
  U041: explanation("UK.OBIE.ExemptionNotApplied", "The exemption could not be applied"),
  U042: explanation("UK.OBIE.OtherReason", "Another reason"),
  AB01: explanation("AbortedClearingTimeout", "The clearing timed out"),
  AB05: explanation("TimeoutCreditorAgent", "The creditor's bank did not answer in time"),
  AB06: explanation("TimeoutInstructedAgent", "The instructed bank did not answer in time"),
  AB07: explanation("OfflineAgent", "A bank on the route is offline"),
  AB08: explanation("OfflineCreditorAgent", "The creditor's bank is offline"),
  AB09: explanation(
    "ErrorCreditorAgent",
    "The payment failed with an error at the creditor's bank",
  ),
  BE01: explanation("InconsistenWithEndCustomer", "The name does not belong to the account"),
  CUST: explanation("RequestedByCustomer", "The customer requested this"),
  DT05: explanation("InvalidCutOffDate", "The payment arrived after the cut-off"),
  FRAD: explanation("FraudulentOrigin", "The payment is suspected of fraud"),
  FR01: explanation("Fraud", "Returned for fraud"),
  MS02: explanation("NotSpecifiedReasonCustomerGenerated", "The customer gave no reason"),
  MS03: explanation("NotSpecifiedReasonAgentGenerated", "The bank gave no reason"),
  RR04: explanation("RegulatoryReason", "Refused for regulatory reasons"),
  TM01: explanation("InvalidCutOffTime", "The payment arrived after the agreed cut-off time"),
} as const satisfies Record<string, ExplanationCode>;

/** A published code that may explain a status. The codes of refusals may explain one, too. */
export type ReasonCode = keyof typeof refusalCodes | keyof typeof explanationCodes;

/** The operations that every bank must offer, so that no 404 is declared for them. */
export const mandatoryOperations: ReadonlySet<string> = new Set([
  "CreateDomesticPaymentConsents",
  "GetDomesticPaymentConsentsConsentId",
  "GetDomesticPaymentConsentsConsentIdFundsConfirmation",
  "CreateDomesticPayments",
  "GetDomesticPaymentsDomesticPaymentId",
]);

/** The operations of variable recurring payments, whose published file has other statuses. */
export const ofVrp = /^domesticVrp/;

/** Those of them that take an idempotency key. */
export const vrpWithKey: ReadonlySet<string> = new Set([
  "domesticVrpConsentsPost",
  "domesticVrpPost",
]);

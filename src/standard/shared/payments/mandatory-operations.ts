/** The operations that every bank must offer, so that no 404 is declared for them. */
export const mandatoryOperations: ReadonlySet<string> = new Set([
  "CreateDomesticPaymentConsents",
  "GetDomesticPaymentConsentsConsentId",
  "GetDomesticPaymentConsentsConsentIdFundsConfirmation",
  "CreateDomesticPayments",
  "GetDomesticPaymentsDomesticPaymentId",
]);

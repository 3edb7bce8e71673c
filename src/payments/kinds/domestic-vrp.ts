import { usedWithinLimits } from "#src/consents/states.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { checkSchemeRisk, limitChecks } from "#src/payments/limits/consent-checks.ts";
import { checkContract } from "#src/payments/limits/contracts.ts";
import { permissionWords } from "#src/payments/limits/use-words.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { withinLimits } from "#src/payments/shapes/within-limits/within-limits.ts";

/** Payments in sterling that a TPP makes within the limits of one consent. */
export const domesticVrp = definePaymentKind({
  id: "domestic-vrp",
  tag: "Domestic VRPs",
  orderIdField: "DomesticVRPId",
  consentIdPrefix: "vrpc",
  orderIdPrefix: "vrp",
  consent: usedWithinLimits,
  family: "immediate",
  timing: { when: "immediate" },
  hasCutOff: false,
  givesExpectedDates: false,
  confirmsFunds: true,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: ["UK.OBIE.FPS"],
  checks: [checkUkAccounts, ...limitChecks, checkContract, checkSchemeRisk],
  shape: withinLimits({
    ownEvents: {
      account: "domestic-vrp-consent-linked-account-update",
      access: "consent-access-revoked",
    },
    words: permissionWords,
  }),
});

import {
  consentBodies,
  debtorAccountMembers,
} from "#src/standard/shared/funds/funds-confirmation-consent.ts";

/** The members of the debtor account. */
export const debtorAccount = debtorAccountMembers;

/**
 * The bodies of a consent. Its account has no Proxy, and its status has no reasons. Source: C-105.
 */
export const fundsConfirmationConsent = consentBodies(
  debtorAccount,
  ["Authorised", "AwaitingAuthorisation", "Rejected", "Revoked"],
  {},
);

import type { FundsVersion } from "#src/funds/versions/funds-version.ts";
import {
  debtorAccount,
  fundsConfirmationConsent,
} from "#src/standard/cbpii-v3.1/funds-confirmation-consent.ts";
import { cbpiiV31 } from "#src/standard/cbpii-v3.1/version.ts";

/** Confirmation of funds in v3.1. */
export const fundsV31: FundsVersion = {
  api: cbpiiV31,
  consent: fundsConfirmationConsent,
  accountMembers: Object.keys(debtorAccount),
  signed: false,
};

import type { FundsVersion } from "#src/funds/versions/funds-version.ts";
import {
  debtorAccount,
  fundsConfirmationConsent,
} from "#src/standard/cbpii-v4.0/funds-confirmation-consent.ts";
import { cbpiiV40 } from "#src/standard/cbpii-v4.0/version.ts";

/** Confirmation of funds in v4.0. */
export const fundsV40: FundsVersion = {
  api: cbpiiV40,
  consent: fundsConfirmationConsent,
  accountMembers: Object.keys(debtorAccount),
  signed: "if sent",
};

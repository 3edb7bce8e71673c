import Type from "typebox";
import {
  consentBodies,
  debtorAccountMembers,
} from "#src/standard/shared/funds/funds-confirmation-consent.ts";
import { proxy } from "#src/standard/shared/v4/parties.ts";
import { statusReasons } from "#src/standard/shared/v4/status-reason.ts";

/** The members of the debtor account. */
export const debtorAccount = { ...debtorAccountMembers, Proxy: Type.Optional(proxy) };

/** The bodies of a funds confirmation consent. Source: OBFundsConfirmationConsent1. */
export const fundsConfirmationConsent = consentBodies(
  debtorAccount,
  ["AUTH", "AWAU", "CANC", "EXPD", "RJCT"],
  { StatusReason: Type.Optional(statusReasons) },
);

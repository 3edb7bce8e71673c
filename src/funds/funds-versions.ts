import type { TSchema } from "typebox";
import type { Operation } from "#src/http/operation.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import * as v31 from "#src/standard/cbpii-v3.1/funds-confirmation-consent.ts";
import { cbpiiV31 } from "#src/standard/cbpii-v3.1/version.ts";
import * as v40 from "#src/standard/cbpii-v4.0/funds-confirmation-consent.ts";
import { cbpiiV40 } from "#src/standard/cbpii-v4.0/version.ts";

/** A version of confirmation of funds, and what differs in its bodies. */
export type FundsVersion = {
  api: ApiVersion;
  consent: { request: TSchema; response: TSchema };
  /** The names of the members of a debtor account. */
  accountMembers: readonly string[];
  /** Whether requests are signed. Source: C-017, C-018. */
  signed: Operation["signed"];
};

/** Every version that is served. */
export const fundsVersions: readonly FundsVersion[] = [
  {
    api: cbpiiV31,
    consent: v31.fundsConfirmationConsent,
    accountMembers: Object.keys(v31.debtorAccount),
    signed: false,
  },
  {
    api: cbpiiV40,
    consent: v40.fundsConfirmationConsent,
    accountMembers: Object.keys(v40.debtorAccount),
    signed: "if sent",
  },
];

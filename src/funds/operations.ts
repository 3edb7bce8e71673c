import type { Config } from "#src/config/config.ts";
import { type AccessConsentDeps, accessConsentOperations } from "#src/consents/access-consents.ts";
import type { Operation } from "#src/http/operation.ts";
import { type ConfirmDeps, confirmFundsOperation } from "./confirm-funds.ts";
import { fundsConsents } from "./funds-consents.ts";
import { fundsVersions } from "./funds-versions.ts";

type FundsDeps = ConfirmDeps & AccessConsentDeps & { config: Pick<Config, "STRICT_OAS"> };

/** Every operation of each version. */
export const fundsOperations = (deps: FundsDeps): Operation[] =>
  fundsVersions.flatMap((version) => [
    ...accessConsentOperations(fundsConsents(version, deps.config), deps),
    confirmFundsOperation(version, deps),
  ]);

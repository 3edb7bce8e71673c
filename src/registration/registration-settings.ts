import type { Algorithm } from "#src/clients/import-key.ts";
import type { Config } from "#src/config/config.ts";
import { type RegistrationVersion, registrationVersions } from "./registration-versions.ts";

/** How the bank registers clients. */
export type RegistrationSettings = {
  version: RegistrationVersion;
  isStrict: boolean;
  /** The values of `aud` that are accepted; empty if `aud` is not checked. */
  audiences: readonly string[];
  requestSeconds: number;
  /** How old a statement may be; null for any age. */
  statementSeconds: number | null;
  isStatementUsedOnce: boolean;
  isOneClientPerSoftware: boolean;
  narrowsScope: boolean;
  acceptsJson: boolean;
  algorithms: readonly Algorithm[];
  perMinute: number;
  /** Whether statements for tests are refused. */
  isProduction: boolean;
};

const productionStatementMinutes = 30;

/** The algorithms with which clients of a bank may sign; the usual one first. */
export const clientAlgorithms = ({
  REGISTRATION_ES256: es256,
}: Pick<Config, "REGISTRATION_ES256">): readonly Algorithm[] =>
  es256 ? ["PS256", "ES256"] : ["PS256"];

/** Derives the settings of registration from the configuration. */
export function registrationSettingsOf(
  config: Config,
  { publicUrl, registrationUrl }: { publicUrl: string; registrationUrl: string },
): RegistrationSettings {
  const isProduction = config.ALDGATE_PROFILE === "production";
  const audiences = config.REGISTRATION_AUDIENCES?.split(",").map((one) => one.trim());
  const minutes =
    config.REGISTRATION_STATEMENT_MINUTES ?? (isProduction ? productionStatementMinutes : 0);
  return {
    version: registrationVersions[config.REGISTRATION_VERSION],
    isStrict: config.REGISTRATION_STRICT,
    audiences: audiences?.includes("any")
      ? []
      : (audiences ?? [config.ORGANISATION_ID, publicUrl, registrationUrl]),
    requestSeconds: config.REGISTRATION_REQUEST_MINUTES * 60,
    statementSeconds: minutes === 0 ? null : minutes * 60,
    isStatementUsedOnce: config.REGISTRATION_STATEMENT_ONCE,
    isOneClientPerSoftware: config.REGISTRATION_ONE_CLIENT,
    narrowsScope: config.REGISTRATION_NARROW_SCOPE,
    acceptsJson: config.REGISTRATION_ACCEPT_JSON,
    algorithms: clientAlgorithms(config),
    perMinute: config.REGISTRATION_PER_MINUTE,
    isProduction,
  };
}

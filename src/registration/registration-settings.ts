import type { Algorithm } from "#src/clients/client-keys.ts";
import type { Config } from "#src/config/config.ts";
import type { Scope } from "#src/standard/api-version.ts";

// the versions of the specification differ in the longest subject name of a certificate
const longestSubjects = { "3.2": 128, "3.3": 128, "3.4": 512 };

/** How the bank registers clients. */
export type RegistrationSettings = {
  /** The maximum number of characters of `tls_client_auth_subject_dn`. */
  longestSubject: number;
  /** The values of `aud` that are accepted; empty if `aud` is not checked. */
  audiences: readonly string[];
  /** How old a statement may be; null for any age. */
  statementSeconds: number | null;
  acceptsJson: boolean;
  algorithms: readonly Algorithm[];
  perMinute: number;
  /** The scopes of the APIs that the bank offers. */
  scopes: readonly Scope[];
  /** Whether clients may begin journeys without a browser (CIBA). */
  backchannel: boolean;
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
  given: { publicUrl: string; registrationUrl: string } & Pick<
    RegistrationSettings,
    "scopes" | "backchannel"
  >,
): RegistrationSettings {
  const { publicUrl, registrationUrl, scopes, backchannel } = given;
  const isProduction = config.ALDGATE_PROFILE === "production";
  const audiences = config.REGISTRATION_AUDIENCES?.split(",").map((one) => one.trim());
  const minutes =
    config.REGISTRATION_STATEMENT_MINUTES ?? (isProduction ? productionStatementMinutes : 0);
  return {
    longestSubject: longestSubjects[config.REGISTRATION_VERSION],
    audiences: audiences?.includes("any")
      ? []
      : (audiences ?? [config.ORGANISATION_ID, publicUrl, registrationUrl]),
    statementSeconds: minutes === 0 ? null : minutes * 60,
    acceptsJson: config.REGISTRATION_ACCEPT_JSON,
    algorithms: clientAlgorithms(config),
    perMinute: config.REGISTRATION_PER_MINUTE,
    scopes,
    backchannel,
    isProduction,
  };
}

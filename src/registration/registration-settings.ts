import type { Algorithm } from "#src/clients/import-key.ts";
import type { Config } from "#src/config/config.ts";

/** The differences between versions of the registration specification that the bank supports. */
type RegistrationVersion = {
  /** The maximum number of characters of `tls_client_auth_subject_dn`. */
  longestSubject: number;
  /** The form of that name that a strict bank requires; null allows any notation of RFC 4514. */
  subjectForm: { pattern: RegExp; advice: string } | null;
  /** The values of `application_type` that a strict bank accepts. */
  applicationTypes: readonly string[];
};

const before34: RegistrationVersion = {
  longestSubject: 128,
  subjectForm: null,
  applicationTypes: ["web", "mobile"],
};

/** The versions of the specification, by the values of REGISTRATION_VERSION. */
const registrationVersions: Readonly<Record<Config["REGISTRATION_VERSION"], RegistrationVersion>> =
  {
    "3.2": before34,
    "3.3": before34,
    "3.4": {
      longestSubject: 512,
      subjectForm: {
        pattern: /^CN=[^,]+(,[A-Za-z0-9.]+=[^,]+)*$/,
        advice: "begin with CN= and have its attributes joined by commas without spaces",
      },
      applicationTypes: ["web", "native"],
    },
  };

/** How the bank registers clients. */
export type RegistrationSettings = {
  version: RegistrationVersion;
  isStrict: boolean;
  /** The values of `aud` that are accepted; empty if `aud` is not checked. */
  audiences: readonly string[];
  /** How old a statement may be; null for any age. */
  statementSeconds: number | null;
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
    statementSeconds: minutes === 0 ? null : minutes * 60,
    acceptsJson: config.REGISTRATION_ACCEPT_JSON,
    algorithms: clientAlgorithms(config),
    perMinute: config.REGISTRATION_PER_MINUTE,
    isProduction,
  };
}

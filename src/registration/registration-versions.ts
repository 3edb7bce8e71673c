import type { Config } from "#src/config/config.ts";

/** The differences between versions of the registration specification that the bank supports. */
export type RegistrationVersion = {
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
export const registrationVersions: Readonly<
  Record<Config["REGISTRATION_VERSION"], RegistrationVersion>
> = {
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

import Type from "typebox";

/** The settings of the keys for id_tokens and message signatures. */
export const signingSettings = {
  SIGNING_KEY: Type.Optional(
    Type.String({
      description:
        "The first RSA key for id_tokens and message signatures: a PEM file (PKCS #8), or " +
        "`service:` and the name of a key at SIGNING_SERVICE_URL. `./aldgate keys` adds the " +
        "later ones. A sandbox generates its key.",
    }),
  ),
  SIGNING_CERTIFICATE: Type.Optional(
    Type.String({
      description:
        "PEM file with the certificate of SIGNING_KEY, followed by its issuers in order. The bank's " +
        "JWKS publishes this chain (`x5c`). Production needs it. A sandbox issues its own certificate.",
    }),
  ),
  SIGNING_KEY_LEAD_HOURS: Type.Integer({
    default: 24,
    minimum: 1,
    maximum: 8760,
    description: "How many hours a signing key is published before the bank signs with it.",
  }),
  SIGNING_KEY_RETIRED_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description:
      "How many days a signing key is published after another key has replaced it, so that TPPs " +
      "can verify its signatures.",
  }),
  SIGNING_WARNING_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 365,
    description:
      "The bank begins to warn this many days before the certificate of a signing key expires, in " +
      "its log and in `./aldgate keys list`.",
  }),
  SIGNING_SERVICE_URL: Type.Optional(
    Type.String({
      pattern: "^https?://",
      description:
        "Base URL of the signing service for keys with a location `service:NAME`. Plain http is " +
        "allowed only on this machine.",
    }),
  ),
  SIGNING_SERVICE_TOKEN_FILE: Type.Optional(
    Type.String({
      description:
        "File with the bearer token for the signing service. A new token is used within five " +
        "seconds, without a restart.",
    }),
  ),
  SIGNING_SERVICE_CA: Type.Optional(
    Type.String({
      description:
        "PEM file of the root certificates that the bank trusts for the signing service. The default is the public roots.",
    }),
  ),
  SIGNING_SERVICE_CERTIFICATE: Type.Optional(
    Type.String({
      description: "PEM file of the bank's client certificate for the signing service.",
    }),
  ),
  SIGNING_SERVICE_CERTIFICATE_KEY: Type.Optional(
    Type.String({ description: "PEM file of the key of SIGNING_SERVICE_CERTIFICATE." }),
  ),
  SIGNING_SERVICE_DEADLINE_MS: Type.Integer({
    default: 2000,
    minimum: 50,
    maximum: 14_000,
    description:
      "Time limit for one signature by the signing service, including the wait for its turn.",
  }),
  SIGNING_SERVICE_CALLS_AT_ONCE: Type.Integer({
    default: 16,
    minimum: 1,
    maximum: 256,
    description:
      "Maximum number of signatures that a process requests from the signing service at the same time. Others wait.",
  }),
};

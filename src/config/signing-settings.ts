import Type from "typebox";
import { webUrl } from "./forms.ts";

/** The settings of the keys for id_tokens and message signatures. */
export const signingSettings = {
  SIGNING_KEY: Type.Optional(
    Type.String({
      description:
        "The first RSA key for id_tokens and message signatures: a PEM file (PKCS #8), or " +
        "`service:` and the name of a key at SIGNING_SERVICE_URL. `./aldgate keys` adds the " +
        "later ones. A sandbox generates its key.",
      usedBy: "production",
    }),
  ),
  SIGNING_CERTIFICATE: Type.Optional(
    Type.String({
      description:
        "PEM file with the certificate of SIGNING_KEY, followed by its issuers in order. The bank's " +
        "JWKS publishes this chain (`x5c`). Production needs it. A sandbox issues its own certificate.",
      usedBy: "production",
    }),
  ),
  SIGNING_SERVICE_URL: Type.Optional(
    Type.String({
      ...webUrl,
      description:
        "Base URL of the signing service for keys with a location `service:NAME`. Plain http is " +
        "allowed only on this machine.",
      usedBy: "a bank with keys in an HSM",
    }),
  ),
  SIGNING_SERVICE_TOKEN_FILE: Type.Optional(
    Type.String({
      description:
        "File with the bearer token for the signing service. A new token is used within five " +
        "seconds, without a restart.",
      usedBy: "a signing service with tokens",
    }),
  ),
  SIGNING_SERVICE_CA: Type.Optional(
    Type.String({
      description:
        "PEM file of the root certificates that the bank trusts for the signing service. The default is the public roots.",
      usedBy: "a signing service with a private root",
    }),
  ),
  SIGNING_SERVICE_CERTIFICATE: Type.Optional(
    Type.String({
      description: "PEM file of the bank's client certificate for the signing service.",
      usedBy: "a signing service with mutual TLS",
    }),
  ),
  SIGNING_SERVICE_CERTIFICATE_KEY: Type.Optional(
    Type.String({
      description: "PEM file of the key of SIGNING_SERVICE_CERTIFICATE.",
      usedBy: "a signing service with mutual TLS",
    }),
  ),
};

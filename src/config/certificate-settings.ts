import Type from "typebox";
import { networks } from "./forms.ts";

/** The settings of client certificates: trust anchors and revocation. */
export const certificateSettings = {
  CLIENT_CA: Type.Optional(
    Type.String({
      description:
        "PEM files, or folders of `.pem` and `.crt` files, separated by commas: the root and " +
        "issuing authorities that the bank trusts for TPPs' certificates.",
      usedBy: "production",
    }),
  ),
  REVOCATION_POLICY: Type.Union([Type.Literal("soft"), Type.Literal("hard")], {
    default: "soft",
    description:
      "What happens if neither the revocation list nor the OCSP responder of a client " +
      "certificate can be reached: `soft` uses the last status and logs a warning, `hard` " +
      "refuses the certificate 24 hours after the last status has expired.",
    usedBy: "a bank that prefers an outage to an unknown status",
  }),
  CLIENT_CERTIFICATE_PROXIES: Type.Optional(
    Type.String({
      ...networks,
      description:
        "Addresses of proxies that terminate TLS and forward the client's certificate in a " +
        "header, such as `10.3.0.7/32`. They connect to MTLS_PORT. The bank ignores the header " +
        "in requests from any other address.",
      usedBy: "a bank whose load balancer terminates mutual TLS",
    }),
  ),
  CLIENT_CERTIFICATE_HEADER: Type.String({
    default: "client-cert",
    pattern: "^[A-Za-z0-9-]+$",
    form: "the name of a header: letters, digits and hyphens",
    description:
      "The header in which CLIENT_CERTIFICATE_PROXIES send the certificate: `client-cert` (RFC 9440), " +
      "`x-forwarded-client-cert` (envoy), or any other name for a certificate as URL-encoded PEM " +
      "(nginx, `$ssl_client_escaped_cert`).",
    usedBy: "a bank with envoy or nginx",
  }),
  REVOCATION_NETWORKS: Type.Optional(
    Type.String({
      ...networks,
      description:
        "Private networks in which revocation lists and OCSP responders may be, such as " +
        "`10.2.0.0/16`. By default, only public addresses are used.",
      usedBy: "a bank that reaches responders through its own network",
    }),
  ),
};

import Type from "typebox";
import { hostNames, secureUrl, webUrl } from "./forms.ts";

/** The settings of the three listeners: for browsers, for TPPs, and for operators. */
export const listenerSettings = {
  PUBLIC_HOST: Type.String({
    default: "127.0.0.1",
    description: "Address of the public and the mutual TLS listener.",
    usedBy: "production, and a sandbox in a container",
  }),
  PUBLIC_PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65535,
    description: "Port for browsers: pages, discovery, authorization endpoint, API reference.",
    usedBy: "a second bank on the machine",
  }),
  MTLS_PORT: Type.Integer({
    default: 8443,
    minimum: 0,
    maximum: 65535,
    description: "Port for TPPs, with mutual TLS: token endpoint and the APIs.",
    usedBy: "a second bank on the machine",
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      ...webUrl,
      description: "Base URL for browsers, and the issuer of tokens. The default uses PUBLIC_PORT.",
      usedBy: "a bank behind a load balancer",
    }),
  ),
  MTLS_URL: Type.Optional(
    Type.String({
      ...secureUrl,
      description: "Base URL for TPPs.",
      usedBy: "a bank behind a load balancer",
    }),
  ),
  PUBLIC_TLS: Type.Boolean({
    default: false,
    description: "Serves browsers over TLS too.",
    usedBy: "a bank without a load balancer that terminates TLS, and the FAPI suites",
  }),
  TLS_CERTIFICATE: Type.Optional(
    Type.String({
      description: "PEM file of the server's certificate chain (production).",
      usedBy: "production",
    }),
  ),
  TLS_KEY: Type.Optional(
    Type.String({ description: "PEM file of the server's key.", usedBy: "production" }),
  ),
  CONNECTIONS_LIMIT: Type.Integer({
    default: 4000,
    minimum: 10,
    description:
      "Maximum number of open connections of the public and the mutual TLS listener together. " +
      "It is never more than three quarters of the file descriptors that are free at the start.",
    usedBy: "a bank whose machines have more, or less, memory",
  }),
  CONNECTIONS_PER_ADDRESS: Type.Integer({
    default: 512,
    minimum: 1,
    description:
      "Maximum number of open connections from one address. Behind a load balancer, all callers " +
      "may share one address. In that case, use the value of CONNECTIONS_LIMIT, and limit " +
      "callers on the balancer.",
    usedBy: "a bank behind a load balancer",
  }),
  MANAGEMENT_HOST: Type.String({
    default: "127.0.0.1",
    description: "Address of the management listener, which serves health, readiness and metrics.",
    usedBy: "monitoring on another machine",
  }),
  MANAGEMENT_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        "Port of the management listener, which uses plain HTTP. 0 picks a free port. The default " +
        "is PUBLIC_PORT plus 1000, so that several banks on one machine have different ports.",
      usedBy: "monitoring with a fixed port",
    }),
  ),
  MANAGEMENT_HOSTS: Type.Optional(
    Type.String({
      ...hostNames,
      description:
        "Host names by which the management listener is called, such as `aldgate.internal`. IP " +
        "addresses, `localhost` and MANAGEMENT_HOST are always allowed.",
      usedBy: "monitoring that calls by name",
    }),
  ),
};

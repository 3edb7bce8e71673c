import Type from "typebox";
import { networks } from "./forms.ts";

const flag = (description: string, usedBy: string) =>
  Type.Boolean({ default: false, description, usedBy });

/** The settings of dynamic client registration. */
export const registrationSettings = {
  REGISTRATION_ISSUERS: Type.Optional(
    Type.String({
      description:
        "JSON file with the issuers of software statements that the bank trusts. Without it, a " +
        "production bank does not offer registration. A sandbox always trusts its own directory. " +
        "See [registering TPPs](registering-tpps.md).",
      usedBy: "production",
    }),
  ),
  REGISTRATION_NETWORKS: Type.Optional(
    Type.String({
      ...networks,
      description:
        "Private networks in which the hosts of REGISTRATION_ISSUERS may be, such as " +
        "`10.4.0.0/16`. By default, keys are fetched only from public addresses. A sandbox also " +
        "fetches them from its own machine.",
      usedBy: "a bank that reaches directories through its own network",
    }),
  ),
  REGISTRATION_VERSION: Type.Union(
    [Type.Literal("3.2"), Type.Literal("3.3"), Type.Literal("3.4")],
    {
      default: "3.3",
      description:
        "Version of the registration specification. It determines how long the subject name of a " +
        "certificate may be.",
      usedBy: "a bank that publishes another version",
    },
  ),
  REGISTRATION_AUDIENCES: Type.Optional(
    Type.String({
      description:
        "Values that a registration request may have as `aud`, separated by commas. The default " +
        "is ORGANISATION_ID, the issuer and the registration endpoint. With `any`, `aud` is not " +
        "checked.",
      usedBy: "a bank whose TPPs send its name in another directory",
    }),
  ),
  REGISTRATION_STATEMENT_MINUTES: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "How old a software statement may be; 0 for any age. The default is 30 in production, " +
        "and any age in a sandbox.",
      usedBy: "a bank with only automated registration, for which the directory advises 1",
    }),
  ),
  REGISTRATION_ACCEPT_JSON: flag(
    "Also accepts the request as a JSON string with the content type `application/json`.",
    "TPPs with a client that was generated from the published file",
  ),
  REGISTRATION_ES256: flag(
    "Accepts ES256 in addition to PS256 for registration requests, request objects and client " +
      "assertions.",
    "TPPs with EC keys, which FAPI allows",
  ),
  REGISTRATION_PER_MINUTE: Type.Integer({
    default: 10,
    minimum: 0,
    description:
      "How many requests per minute with one method one certificate subject, or one address, may " +
      "send to the registration endpoint; 0 for no limit. Three times as many may arrive in a " +
      "burst. Each process counts separately.",
    usedBy: "the official suites",
  }),
};

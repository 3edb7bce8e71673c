import Type from "typebox";
import { bearerToken, list, webUrl } from "./forms.ts";

const dataKey = "[0-9A-Za-z-]+=[0-9a-f]{64}";

/** The settings of the bank's own core and of its guard. */
export const coreSettings = {
  BANK_MODULE: Type.Optional(
    Type.String({
      description:
        "ES module whose `createBank({ database, clock, feed })` returns the bank's core " +
        "(src/bank/port.ts). Production needs one. A sandbox uses it in place of the sandbox " +
        "bank. If the module exports `testCustomers` and `testCode(challengeId)`, which returns " +
        "the code of a challenge, the sandbox can act for these customers.",
      usedBy: "production",
    }),
  ),
  BANK_URL: Type.Optional(
    Type.String({
      ...webUrl,
      description:
        "Base URL of the bank's core, if it is a service with the operations of " +
        "`/openapi/bank-v1.json` (docs/own-core.md), in place of BANK_MODULE. Plain http is allowed " +
        "only on this machine.",
      usedBy: "a core in another language",
    }),
  ),
  BANK_CA: Type.Optional(
    Type.String({
      description:
        "PEM file of the root certificates that Aldgate trusts for BANK_URL. The default is the " +
        "public roots.",
      usedBy: "a core with a private root",
    }),
  ),
  BANK_CERTIFICATE: Type.Optional(
    Type.String({
      description: "PEM file of Aldgate's client certificate for BANK_URL.",
      usedBy: "a core with mutual TLS",
    }),
  ),
  BANK_CERTIFICATE_KEY: Type.Optional(
    Type.String({
      description: "PEM file of the key of BANK_CERTIFICATE.",
      usedBy: "a core with mutual TLS",
    }),
  ),
  BANK_SIGNING_KEY: Type.Optional(
    Type.String({
      description:
        "PEM file of an RSA key (PKCS #8) with which Aldgate signs each request to BANK_URL " +
        "(`Aldgate-Signature`).",
      usedBy: "a core behind a gateway that ends TLS",
    }),
  ),
  BANK_IDENTIFY_DEADLINE_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 60_000,
    description: "Time limit for a call to the bank's own core that identifies a customer.",
    usedBy: "a bank with a slower core",
  }),
  BANK_READ_DEADLINE_MS: Type.Integer({
    default: 3000,
    minimum: 100,
    maximum: 60_000,
    description:
      "Time limit for a call to the core that reads accounts, payees or mandates, or tells it what " +
      "has happened to consents and orders.",
    usedBy: "a bank with a slower core",
  }),
  BANK_QUOTE_DEADLINE_MS: Type.Integer({
    default: 3000,
    minimum: 100,
    maximum: 60_000,
    description: "Time limit for a call to the core that asks for rates or prices.",
    usedBy: "a bank with a slower core",
  }),
  BANK_EXECUTE_DEADLINE_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 14_000,
    description:
      "Time limit for a call to the core that reserves, executes, asks about or releases " +
      "payments. After that time, Aldgate asks the core for the outcome of each payment.",
    usedBy: "a bank with a slower core",
  }),
  PAYMENT_LEASE_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description:
      "Time for which a payment is reserved for the process that works on it. If the process " +
      "dies, another process continues after that time. It must be longer than two calls to the " +
      "core (BANK_EXECUTE_DEADLINE_MS).",
    usedBy: "a bank with a slower core, and the tests that kill processes",
  }),
  BANK_CALLS_AT_ONCE: Type.Integer({
    default: 64,
    minimum: 1,
    description:
      "Maximum number of calls to the core in progress at the same time, for each group " +
      "(identify, read, document, quote, execute, tell). The calls about one customer use a part of it.",
    usedBy: "a core that serves fewer, or more, calls",
  }),
  BANK_BREAKER_FAILURES: Type.Integer({
    default: 5,
    minimum: 1,
    description:
      "Number of consecutive failures after which a group's calls to the core are paused. " +
      "Failures about one customer count as one.",
    usedBy: "a core that often fails",
  }),
  CHANNELS_TOKEN: Type.Optional(
    Type.String({
      ...bearerToken(32),
      description:
        "Token with which the bank's own channels (its app, its call centre) read and stop the consents of " +
        "customers on the management listener (`Authorization: Bearer`). It must have at least 32 " +
        "characters; `openssl rand -hex 24` generates one. Without it, the listener has no " +
        "consents.",
      usedBy: "a bank whose app shows and stops consents",
    }),
  ),
  BANK_TOKEN: Type.Optional(
    Type.String({
      ...bearerToken(32),
      description:
        "Token with which the bank's own core sends account data to the management listener " +
        "(`Authorization: Bearer`, docs/own-core.md). It must have at least 32 characters. Without " +
        "it, the listener takes no account data.",
      usedBy: "a core in another language that sends what has changed",
    }),
  ),
  ATTACHED_DATA_KEYS: Type.Optional(
    Type.String({
      ...list(dataKey, "`NAME=` and 64 hexadecimal digits in lower case; several with commas"),
      description:
        "Keys with which Aldgate encrypts what the core attaches to consents, such as " +
        "`2026a=` and 64 hexadecimal digits (`openssl rand -hex 32`). The first key encrypts, and " +
        "each decrypts what it has encrypted: to change the key, restart every process with a new " +
        "one at the end, and then with it in front. A sandbox makes its own.",
      usedBy: "production, if the core attaches data to consents",
    }),
  ),
  BANK_BREAKER_RETRY_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    description: "How long a group's calls to the core are paused before one call is tried.",
    usedBy: "a core that recovers slowly",
  }),
};

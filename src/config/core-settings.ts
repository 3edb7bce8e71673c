import Type from "typebox";

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
  BANK_IDENTIFY_DEADLINE_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 60_000,
    description: "Time limit for a call to the core of BANK_MODULE that identifies a customer.",
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
      pattern: "^[A-Za-z0-9._~+/-]{32,}=*$",
      description:
        "Token with which the bank's own channels (its app, its call centre) use the consents of " +
        "customers on the management listener (`Authorization: Bearer`). It must have at least 32 " +
        "characters; `openssl rand -hex 24` generates one. Without it, the listener has no " +
        "consents.",
      usedBy: "a bank whose app shows and stops consents",
    }),
  ),
  BANK_BREAKER_RETRY_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    description: "How long a group's calls to the core are paused before one call is tried.",
    usedBy: "a core that recovers slowly",
  }),
};

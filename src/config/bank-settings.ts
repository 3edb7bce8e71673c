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
    }),
  ),
  BANK_IDENTIFY_DEADLINE_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 60_000,
    description: "Time limit for a call to the core of BANK_MODULE that identifies a customer.",
  }),
  BANK_READ_DEADLINE_MS: Type.Integer({
    default: 3000,
    minimum: 100,
    maximum: 60_000,
    description: "Time limit for a call to the core that reads accounts, payees or mandates.",
  }),
  BANK_QUOTE_DEADLINE_MS: Type.Integer({
    default: 3000,
    minimum: 100,
    maximum: 60_000,
    description: "Time limit for a call to the core that asks for rates or prices.",
  }),
  BANK_EXECUTE_DEADLINE_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 14_000,
    description:
      "Time limit for a call to the core that reserves, executes, asks about or releases " +
      "payments. After that time, Aldgate asks the core for the outcome of each payment.",
  }),
  PAYMENT_LEASE_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description:
      "Time for which a payment is reserved for the process that works on it. If the process " +
      "dies, another process continues after that time. It must be longer than two calls to the " +
      "core (BANK_EXECUTE_DEADLINE_MS).",
  }),
  BANK_CALLS_AT_ONCE: Type.Integer({
    default: 64,
    minimum: 1,
    description:
      "Maximum number of calls to the core in progress at the same time, for each of the four " +
      "groups (identify, read, quote, execute).",
  }),
  BANK_BREAKER_FAILURES: Type.Integer({
    default: 5,
    minimum: 1,
    description:
      "Number of consecutive failures after which a group's calls to the core are paused.",
  }),
  BANK_BREAKER_RETRY_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    description: "How long a group's calls to the core are paused before one call is tried.",
  }),
};

const isoDate = "\\+?\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
const isoDates = `^${isoDate}(, ?${isoDate})*$`;

/** The days on which the bank does not make dated payments. */
export const holidaySettings = {
  BANK_HOLIDAYS: Type.Optional(
    Type.String({
      pattern: isoDates,
      description:
        "Days that are not working days, besides weekends, such as `2027-01-01,2027-03-26`. A " +
        "payment that is due on such a day is made on the next working day. The default is the " +
        "bank holidays of England and Wales. An entry with a plus sign, such as `+2027-06-11`, is " +
        "added to the default.",
    }),
  ),
};

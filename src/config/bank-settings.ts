import Type from "typebox";

/** The settings of the bank's own core, and of the guard round it. */
export const coreSettings = {
  BANK_MODULE: Type.Optional(
    Type.String({
      description:
        "ES module whose `createBank({ database, clock })` returns the bank's core " +
        "(src/bank/port.ts). Production needs one. A sandbox uses it in place of its own bank; " +
        "the customers that it exports as `testCustomers` can then be scripted, if it also " +
        "exports `testCode(challengeId)`, which returns the code of a challenge.",
    }),
  ),
  BANK_IDENTIFY_DEADLINE_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 60_000,
    description: "Longest call to the core of BANK_MODULE that identifies a customer.",
  }),
  BANK_READ_DEADLINE_MS: Type.Integer({
    default: 3000,
    minimum: 100,
    maximum: 60_000,
    description: "Longest call to the core on accounts, payees and mandates.",
  }),
  BANK_QUOTE_DEADLINE_MS: Type.Integer({
    default: 3000,
    minimum: 100,
    maximum: 60_000,
    description: "Longest call to the core on rates and prices.",
  }),
  BANK_EXECUTE_DEADLINE_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 14_000,
    description:
      "Longest call to the core that reserves, executes, asks about or releases payments. " +
      "After it the core is asked what became of them.",
  }),
  BANK_CALLS_AT_ONCE: Type.Integer({
    default: 64,
    minimum: 1,
    description:
      "Calls to the core that are under way at the same time, for each of the four groups " +
      "(identify, read, quote, execute).",
  }),
  BANK_BREAKER_FAILURES: Type.Integer({
    default: 5,
    minimum: 1,
    description: "Failures in a row after which a group's calls to the core are paused.",
  }),
  BANK_BREAKER_RETRY_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    description: "How long the calls of a group are paused before one is tried.",
  }),
};

const isoDate = "\\+?\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
const isoDates = `^${isoDate}(, ?${isoDate})*$`;

/** When the bank makes no dated payments. */
export const holidaySettings = {
  BANK_HOLIDAYS: Type.Optional(
    Type.String({
      pattern: isoDates,
      description:
        "Days beside weekends on which the bank makes no dated payments: `2027-01-01,2027-03-26`. " +
        "The default is the bank holidays of England and Wales. An entry with a plus sign is " +
        "added to them: `+2027-06-11`.",
    }),
  ),
};

import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import { customerById } from "#src/auth/login/customers.ts";

const fields = { customerId: "one" } as const;

const unknown = "customerId is not the id of a customer.";
const another = "The request names another customer.";

/** The name of the step at which the customer is named, without a login. */
export const byHintStepName = "by-hint";

/**
 * In place of the login with a password: a TPP's hint or the bank's app names the customer, whom
 * the app then authenticates. Only a journey without a browser begins here.
 */
export const byHintStep: JourneyStep<typeof fields> = {
  name: byHintStepName,
  minutes: 15,
  fields,
  isTakenInTurn: true,
  begin: async () => ({ facts: {}, isSkipped: true }),
  // so the page before it can be the one that approves
  addsNothing: () => true,

  async show() {
    throw new Error("a journey that no browser has begun has no pages");
  },

  async take({ bank }, { row }, { customerId }) {
    if (row.customerId !== null && row.customerId !== customerId) {
      return { refused: { error: another } };
    }
    const customer = await customerById(bank, customerId);
    if (!customer) return { refused: { error: unknown } };
    const { login: customerLogin, name: customerName } = customer;
    return { done: { customerId, customerLogin, customerName } };
  },
};

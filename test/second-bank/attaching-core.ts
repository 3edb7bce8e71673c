// The second bank's core as a bank would write it that attaches its own data to consents. The test
// sees what comes back, and says what is attached.
import type { Assessment } from "#src/bank/assessment.ts";
import type { Bank } from "#src/bank/port.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";
import * as core from "./core.ts";

export const { testCode, testCustomers } = core;

/** What a call has said about a consent. */
type Heard = { call: string; consentId: string; attachedData: string | undefined };

/** What the core has heard, in order, and what it does next. */
export const attaching: {
  says: boolean;
  answer: () => Assessment;
  heard: Heard[];
} = { says: true, answer: () => ({ result: "allow" }), heard: [] };

const hear = (call: string, said: Omit<Heard, "call"> | { consentId: string }): void => {
  const { consentId, attachedData }: Omit<Heard, "call"> = { attachedData: undefined, ...said };
  attaching.heard.push({ call, consentId, attachedData });
};

/** Creates the core. */
export async function createBank(context: BankContext): Promise<Bank> {
  const whole = await core.createBank(context);
  return {
    ...whole,
    attachesData: attaching.says,
    readsContext: true,
    async assess(consent) {
      hear("assess", consent);
      return attaching.answer();
    },
    async assessOrder(order) {
      hear("assessOrder", order);
      return { result: "allow" };
    },
    async reserve(payments) {
      for (const { context: one } of payments) if (one) hear("reserve", one);
      return whole.reserve(payments);
    },
    async tell(notices) {
      for (const one of notices) hear(one.occasion, one);
    },
  };
}

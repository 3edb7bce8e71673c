// The second bank's core with `assess` and `assessOrder`. The test sees what it is asked, and says
// how it answers.
import type { Notice } from "#src/bank/notice.ts";
import type { Bank } from "#src/bank/port.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";
import * as core from "./core.ts";

/** The customers that a sandbox may log in. */
export const testCustomers = core.testCustomers;

/** Returns the code of a challenge, so that a sandbox can answer it. */
export const testCode = core.testCode;

type Assess = NonNullable<Bank["assess"]>;

type AssessOrder = NonNullable<Bank["assessOrder"]>;

/** What the core was asked, and its next answers. */
export const assessed: {
  asked: Parameters<Assess>[0][];
  answer: () => unknown;
  orders: Parameters<AssessOrder>[0][];
  answerOrder: () => unknown;
  told: Notice[];
} = {
  asked: [],
  answer: () => ({ result: "allow" }),
  orders: [],
  answerOrder: () => ({ result: "allow" }),
  told: [],
};

/** Creates the core. */
export async function createBank(context: BankContext): Promise<Bank> {
  const whole = await core.createBank(context);
  const assess = async (consent: Parameters<Assess>[0]) => {
    assessed.asked.push(consent);
    // safe: a core may answer anything, and its guard checks the answer
    return assessed.answer() as Awaited<ReturnType<Assess>>;
  };
  const assessOrder = async (order: Parameters<AssessOrder>[0]) => {
    assessed.orders.push(order);
    return assessed.answerOrder() as Awaited<ReturnType<AssessOrder>>; // likewise
  };
  const confirmPayee = async () => ({ result: "no match" }) as const;
  const tell = async (notices: readonly Notice[]) => void assessed.told.push(...notices);
  return { ...whole, assess, assessOrder, confirmPayee, tell };
}

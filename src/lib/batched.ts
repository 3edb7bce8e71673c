import { present } from "./assert.ts";
import { unavailableOf } from "./unavailable.ts";

/** The maximum number of calls per batch, and of batches in progress. */
export type BatchLimits = { asks: number; batches: number };

type Waiting<Ask, Answer> = {
  ask: Ask;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
};

/**
 * Gathers single asks into batches, so that many share the cost of one. Those of one turn of the
 * event loop go together; while as many batches as the limits allow are in progress, what comes
 * waits and goes together too. An ask that is alone never waits for company. `answer` gives one
 * answer for each ask, in their order. A batch that fails is asked again one by one, so that each
 * fails for itself only: it must have left nothing behind. A batch that fails with Unavailable is
 * not asked again: each of its asks would wait for the same outage, and what it asked for may have
 * been done.
 */
export function batched<Ask, Answer>(
  limits: BatchLimits,
  answer: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
): (ask: Ask) => Promise<Answer> {
  const waiting: Waiting<Ask, Answer>[] = [];
  let underWay = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0 || underWay >= limits.batches) return;
    isScheduled = true;
    setImmediate(send);
  };
  const send = (): void => {
    isScheduled = false;
    while (waiting.length > 0 && underWay < limits.batches) {
      void run(waiting.splice(0, limits.asks));
    }
  };
  const run = async (batch: readonly Waiting<Ask, Answer>[]): Promise<void> => {
    underWay += 1;
    try {
      const answers = await answer(batch.map(({ ask }) => ask));
      batch.forEach(({ resolve }, index) => {
        resolve(present(answers[index], "a result for each call"));
      });
    } catch (error) {
      if (batch.length === 1 || unavailableOf(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await run([one]);
    } finally {
      underWay -= 1;
      schedule();
    }
  };
  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      schedule();
    });
}

import type { FastifyBaseLogger } from "fastify";

type Log = Pick<FastifyBaseLogger, "warn">;

/**
 * Returns a function that logs refusals which anyone can cause in any number: the first one, and
 * then their number, at most once in the given time.
 */
export function countRefusals(everyMs: number, text: string): (log: Log) => void {
  let refused = 0;
  let isPaused = false;
  const write = (log: Log): void => {
    log.warn({ refused }, text);
    refused = 0;
    isPaused = true;
    setTimeout(() => {
      isPaused = false;
      if (refused > 0) write(log);
    }, everyMs).unref();
  };
  return (log) => {
    refused += 1;
    if (!isPaused) write(log);
  };
}

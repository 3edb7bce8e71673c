import { type Config, ConfigError } from "./config.ts";

/** Returns when a sandbox's clock begins, and how fast it runs. Throws ConfigError. */
export function clockBeginning({ CLOCK_START, CLOCK_RATE }: Config): {
  start: Temporal.Instant | undefined;
  rate: number | undefined;
} {
  try {
    const start = CLOCK_START === undefined ? undefined : Temporal.Instant.from(CLOCK_START);
    return { start, rate: CLOCK_RATE };
  } catch {
    throw new ConfigError([`CLOCK_START: ${CLOCK_START} is not a day or time that exists`]);
  }
}

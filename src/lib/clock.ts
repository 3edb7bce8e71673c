/** The only source of the current time. Everything that depends on time receives a clock. */
export type Clock = { now(): Temporal.Instant };

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Temporal.Now.instant() };

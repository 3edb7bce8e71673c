/** The only source of "now": everything that depends on time is handed one. */
export type Clock = { now(): Temporal.Instant };

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Temporal.Now.instant() };

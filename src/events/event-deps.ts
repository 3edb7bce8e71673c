import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import type { PollDeps } from "./poll.ts";
import type { RegistrationRules } from "./read-registration.ts";
import type { WaitingPolls } from "./waiting-polls.ts";

/** What the operations of events work with. */
export type EventDeps = PollDeps &
  RegistrationRules & {
    database: Database;
    clock: Clock;
    polls: WaitingPolls;
    /** How long a poll waits for an event at most; 0 answers every poll immediately. */
    longPollMs: number;
  };

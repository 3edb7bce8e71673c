import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import type { RegistrationRules } from "./read-registration.ts";
import type { SigningDeps } from "./sign-events.ts";
import type { WaitingPolls } from "./waiting-polls.ts";

/** What the operations of events work with. */
export type EventDeps = SigningDeps &
  RegistrationRules & {
    database: Database;
    clock: Clock;
    polls: WaitingPolls;
    /** How long a poll waits for an event at most; 0 answers every poll immediately. */
    longPollMs: number;
  };

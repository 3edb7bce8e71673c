import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import type { SigningDeps } from "./event-set.ts";
import type { PollRefusal } from "./poll.ts";
import type { RegistrationRules } from "./read-registration.ts";
import type { WaitingPolls } from "./waiting-polls.ts";

/** The dependencies of the event operations. */
export type EventDeps = SigningDeps &
  RegistrationRules & {
    database: Database;
    clock: Clock;
    polls: WaitingPolls;
    /** Whether polls get advice for the TPP's developer: in a sandbox. */
    advises: boolean;
    /** The longest time that a poll waits for an event. If it is 0, polls do not wait. */
    longPollMs: number;
    /** Called when a TPP refuses an event. */
    onRefused(refusal: PollRefusal): void;
  };

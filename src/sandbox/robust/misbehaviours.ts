import { keysAndEvents } from "./keys-and-events.ts";
import type { Misbehaviour } from "./misbehaviour.ts";
import { outages } from "./outages.ts";
import { strangeAnswers } from "./strange-answers.ts";

/**
 * Everything that is played, in the order in which a run tries it. What ends a client's certificate
 * comes last.
 */
export const misbehaviours: readonly Misbehaviour[] = [
  ...strangeAnswers,
  ...keysAndEvents,
  ...outages,
];

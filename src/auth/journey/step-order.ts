import { present } from "#src/lib/assert.ts";
import type { Go } from "#src/pages/journey.ts";
import type { JourneyStep } from "./journey-step.ts";
import type { Place } from "./load-journey.ts";

type Steps = readonly JourneyStep[];

/** The step with a name. */
export const stepNamed = (steps: Steps, name: string): JourneyStep =>
  present(
    steps.find((step) => step.name === name),
    `the step ${name}`,
  );

/** The steps that may follow a step. */
export const stepsAfter = (steps: Steps, step: JourneyStep): Steps =>
  steps.slice(steps.indexOf(step) + 1);

/** The decision with which the customer goes on from a step's page. */
export function goOf(steps: Steps, step: JourneyStep, place: Place): Go {
  if (!step.showsConsent?.(place)) return "continue";
  const isLast = stepsAfter(steps, step).every((after) => after.addsNothing?.(place));
  return isLast ? "approve" : "continue";
}

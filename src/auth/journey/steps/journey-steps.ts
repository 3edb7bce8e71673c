import type { FormFields, JourneyStep } from "#src/auth/journey/journey-step.ts";
import { accountsStep } from "./accounts-step.ts";
import { factorStep } from "./factor-step.ts";
import { loginStep } from "./login-step.ts";
import { reviewStep } from "./review-step.ts";

/**
 * The steps of the journey in their order: a journey goes on to the next step that is not skipped.
 * After the last one, the consent is authorised. Every step can also end the journey (outcomes.ts).
 */
export const journeySteps: readonly JourneyStep<FormFields>[] = [
  loginStep,
  factorStep,
  accountsStep,
  reviewStep,
];

import type { AnswerObserver } from "./connection/observe.ts";
import type { Operation } from "./operation.ts";
import type { RateBuckets } from "./refusal/rate-limit.ts";
import type { CompiledSteps } from "./request-steps.ts";

/** An operation with everything that is prepared once for all its requests. */
export type Route = {
  operation: Operation;
  /** The full template, for the log: `/api/open-banking/v3.1/aisp/accounts/:AccountId`. */
  path: string;
  steps: CompiledSteps;
  buckets: RateBuckets | null;
  observe: AnswerObserver;
};

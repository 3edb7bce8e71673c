import type { AnswerObserver } from "#src/http/connection/observe.ts";
import type { ArrivedState } from "./admit.ts";
import type { Operation } from "./operation.ts";
import type { RateBuckets } from "./refusal/rate-limit.ts";
import type { StepList } from "./steps.ts";

/** An operation with everything that is prepared once for all its requests. */
export type Route = {
  operation: Operation;
  /** The full template, for the log: `/api/open-banking/v3.1/aisp/accounts/:AccountId`. */
  path: string;
  steps: StepList<ArrivedState>;
  buckets: RateBuckets | null;
  observe: AnswerObserver;
};

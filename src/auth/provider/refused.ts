import { describe, type Facts, type Reason } from "#src/http/refusal/refusals.ts";

/** The reason of a refusal: the `cause` of the error that the library throws. */
export class Refusal extends Error {
  readonly reason: Reason;
  readonly facts: Facts;
  constructor(reason: Reason, facts: Facts) {
    super(describe(reason, "sandbox", facts)); // the message in the log
    this.reason = reason;
    this.facts = facts;
  }
}

/** Options for an error of the library, so that its description is worded from the table. */
export const because = (reason: Reason, facts: Facts = {}): { cause: Refusal } => ({
  cause: new Refusal(reason, facts),
});

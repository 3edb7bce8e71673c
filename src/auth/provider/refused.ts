import { describe, type Facts, type Reason } from "#src/http/refusal/refusals.ts";

/** Why Aldgate refused: the `cause` of the error that the library answers with. */
export class Refusal extends Error {
  readonly reason: Reason;
  readonly facts: Facts;
  constructor(reason: Reason, facts: Facts) {
    super(describe(reason, "sandbox", facts)); // what the log says
    this.reason = reason;
    this.facts = facts;
  }
}

/** Options for an error of the library, so that its description is worded from the table. */
export const because = (reason: Reason, facts: Facts = {}): { cause: Refusal } => ({
  cause: new Refusal(reason, facts),
});

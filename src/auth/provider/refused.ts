import { describe, type FailureFacts, type RefusalReason } from "#src/http/refusal/refusals.ts";

/** The reason of a refusal: the `cause` of the error that the library throws. */
export class AuthorizationRefusal extends Error {
  readonly reason: RefusalReason;
  readonly facts: FailureFacts;
  constructor(reason: RefusalReason, facts: FailureFacts) {
    super(describe(reason, "sandbox", facts)); // the message in the log
    this.reason = reason;
    this.facts = facts;
  }
}

/** Options for an error of the library, so that its description is worded from the table. */
export const because = (
  reason: RefusalReason,
  facts: FailureFacts = {},
): { cause: AuthorizationRefusal } => ({
  cause: new AuthorizationRefusal(reason, facts),
});

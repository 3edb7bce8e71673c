import type { KoaContextWithOIDC } from "oidc-provider";
import { outageAnswer } from "#src/http/refusal/unavailable-answer.ts";
import { type Unavailable, unavailableOf } from "#src/lib/unavailable.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";
import { errors } from "./library.ts";

/**
 * The error of an outage. It is exposed, because the library hides every other 5xx as
 * `server_error`. Source: RFC 6749 section 4.1.2.1.
 */
export class TemporarilyUnavailable extends errors.OIDCProviderError {
  constructor(cause: Unavailable) {
    super(outageAnswer(cause).status, "temporarily_unavailable", { cause });
    this.error_description = "the bank cannot serve this request at the moment; try again later";
    this.expose = true;
  }
}

/**
 * Converts failures of statements so that the authorization server responds as RFC 6749 requires:
 * `temporarily_unavailable`, with 503. `unavailableOf` still finds the cause.
 */
export const failAsOAuth = <Q extends Queryable>(on: Q): Q => ({
  ...on,
  async query<Row>(statement: Sql) {
    try {
      return await on.query<Row>(statement);
    } catch (error) {
      const unavailable = unavailableOf(error);
      throw unavailable ? new TemporarilyUnavailable(unavailable) : error;
    }
  },
});

/** Adds Retry-After to the answer if `error` is an outage. */
export function addRetryAfter(ctx: KoaContextWithOIDC, error: Error): void {
  const unavailable = unavailableOf(error);
  if (unavailable) ctx.set(outageAnswer(unavailable).headers);
}

import type { Queryable } from "#src/storage/database.ts";
import { integer } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { Evidence } from "./consent.ts";
import type { Showing } from "./showing.ts";

/** One authorisation of a consent, with its evidence. */
export type GivenAuthorisation = {
  customerId: string;
  /** When the consent was authorised; `answeredAt` is when the customer confirmed it. */
  authorisedAt: Temporal.Instant;
  /** When its grant ended, and why; null while it is in use. */
  endedAt: Temporal.Instant | null;
  ending: string | null;
} & Pick<Evidence, "acr" | "amr" | "showings"> & {
    // null for authorisations of earlier releases
    [Member in "method" | "answeredAt"]: Evidence[Member] | null;
  };

/**
 * SQL: what the customer of an authorisation was shown. An earlier release has kept one showing:
 * what the second factor confirmed, or only its hash.
 */
export const showingsColumn = sql`coalesce(showings, json_build_array(json_build_object(
  'step', case method when 'redirect' then 'hand-over' when 'app' then 'in-app' else 'factor' end,
  'way', case method when 'redirect' then 'provider' when 'app' then 'app' else 'page' end,
  'at', null, 'shown', shown, 'shownHash', shown_hash, 'subjectHash', shown_hash,
  'answer', json_build_object(
    'at', to_char(coalesce(answered_at, authorised_at) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'decision', null, 'method', method, 'acr', acr, 'amr', amr, 'challengeId', challenge_id))))`;

/** SQL: what the customer was shown who last authorised a consent, for other rooms. */
export const lastShowings = (consentId: Sql): Sql => sql`
  select ${showingsColumn} from consent_authorisation
  where consent_id = ${consentId} order by authorised_at desc limit 1`;

/** Lists the authorisations of a consent, the oldest first. */
export const listAuthorisations = (
  on: Queryable,
  consentId: string,
): Promise<GivenAuthorisation[]> =>
  on.query(sql`
    select customer_id as "customerId", authorised_at as "authorisedAt", method,
      answered_at as "answeredAt", acr, amr, ${showingsColumn} as showings, ended_at as "endedAt",
      ending
    from consent_authorisation where consent_id = ${consentId}
    order by authorised_at, ended_at nulls last`);

/** A customer's way to an approval that did not come about. */
export type ApprovalAttempt = {
  customerId: string;
  endedAt: Temporal.Instant;
  /** How it ended, such as `cancelled`. */
  ending: string;
  showings: readonly Showing[];
};

// A lasting consent may be opened again and again; each request for an approval has few attempts.
const attemptsKept = 20;

/**
 * Makes the parts of a `with` that keep an attempt if `given` has a row, which is one or none, and
 * delete the oldest attempts of the consent.
 */
export const attemptKeeping = (
  given: Sql,
  { attemptId, consentId, ...attempt }: ApprovalAttempt & { attemptId: string; consentId: string },
): Sql => sql`
  tried as (
    insert into consent_attempt (attempt_id, consent_id, customer_id, ended_at, ending, showings)
    select ${attemptId}::text, ${consentId}::text, ${attempt.customerId}::text,
      ${attempt.endedAt}::timestamptz, ${attempt.ending}::text,
      ${JSON.stringify(attempt.showings)}::json
    from (${given}) given),
  dropped as (
    delete from consent_attempt
    where consent_id = ${consentId} and exists (${given}) and attempt_id not in (
      select attempt_id from consent_attempt where consent_id = ${consentId}
      order by ended_at desc, attempt_id desc limit ${integer(attemptsKept - 1)})),`;

/** Lists the attempts to approve a consent, the oldest first. */
export const listAttempts = (on: Queryable, consentId: string): Promise<ApprovalAttempt[]> =>
  on.query(sql`
    select customer_id as "customerId", ended_at as "endedAt", ending, showings
    from consent_attempt where consent_id = ${consentId} order by ended_at, attempt_id`);

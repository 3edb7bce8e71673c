import type { Authentication, LoginMethods } from "#src/auth/login/authentication.ts";
import {
  challengeCreation,
  challengeEnding,
  type NewChallenge,
} from "#src/auth/login/challenges.ts";
import type { Interaction, InteractionResult } from "#src/auth/provider/interaction-store.ts";
import type { PayeeCheck } from "#src/bank/assessment.ts";
import type { ApprovalMethodName } from "#src/bank/challenge.ts";
import { clientName } from "#src/clients/client-name.ts";
import { type ApprovalAttempt, attemptKeeping } from "#src/consents/authorisations.ts";
import type { Showing } from "#src/consents/showing.ts";
import { inBatches } from "#src/storage/batches.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { integer } from "#src/storage/prepared.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { Candidate } from "./eligible-accounts.ts";
import type { JourneyOutcome } from "./outcomes.ts";

/** The step of a journey that has ended; `stepsOf` lists all others. */
export const ended = "ended";

/** The step at which the customer enters a further code that the bank's core has asked for. */
export const stepUpName = "step-up";

/** The step at which the bank's app authenticates the customer once more, for the same reason. */
export const inAppStepUpName = "in-app-step-up";

/** One customer's way through one authorization request. */
export type JourneyRow = {
  uid: string;
  consentId: string;
  clientId: string;
  /** The name of the current step. */
  step: string;
  /** Set once it has ended. */
  outcome: JourneyOutcome | null;
  customerId: string | null;
  customerLogin: string | null;
  customerName: string | null;
  /** How the customer has logged in, before the second factor. */
  loginAmr: LoginMethods;
  /** The challenge of the second factor; null before there was one. */
  challengeId: string | null;
  /** The method of that challenge, as it was when the journey was loaded. */
  method: ApprovalMethodName | null;
  /** How the customer was authenticated; null before the second factor. */
  authentication: Authentication | null;
  /**
   * The customer's accounts as the bank returned them. Before the second factor, only the one that
   * the TPP named; null if it named none of the customer's.
   */
  accounts: Candidate[] | null;
  accountIds: string[];
  /** What the bank said about the payee's name; null if it was not asked. */
  payeeCheck: PayeeCheck | null;
  /**
   * What the customer was shown so far; the last one is that of the current step. Once the customer
   * has approved, these are the showings of the consent's last authorisation.
   */
  showings: readonly Showing[];
  createdAt: Temporal.Instant;
  expiresAt: Temporal.Instant;
  /** The step whose time the customer has extended; null if none. */
  extendedStep: string | null;
  /** When the next try is possible, if too many wrong ones ended the journey; otherwise null. */
  lockedUntil: Temporal.Instant | null;
  /**
   * What the customer reads about this ending besides its own words: why the bank's core has
   * refused, or what follows a refusal in the app. Otherwise null.
   */
  refusal: string | null;
  /** Why the bank's core asks for a further code, for the customer; null if it does not. */
  stepUp: string | null;
  /** Whether the bank's app takes the customer through it. */
  isInApp: boolean;
  /** Whether the TPP began it without a browser, so that no page waits for the customer. */
  isBackchannel: boolean;
  /** The authorization request; null once the TPP has its answer. */
  interaction: (() => Interaction) | null;
};

/** The facts that steps store in the journey; a fact that is left out stays as it was. */
export type JourneyFacts = Partial<
  Pick<
    JourneyRow,
    | "customerId"
    | "customerLogin"
    | "customerName"
    | "loginAmr"
    | "challengeId"
    | "authentication"
    | "accounts"
    | "accountIds"
    | "payeeCheck"
    | "showings"
    | "stepUp"
  >
>;

/** The beginning of a journey; `interaction` is the authorization request as JSON text. */
export type Beginning = Pick<
  JourneyRow,
  "uid" | "consentId" | "clientId" | "step" | "expiresAt"
> & {
  interaction: string;
  now: Temporal.Instant;
};

/**
 * How many journeys without a customer a consent has at most: anyone who has the signed URL of an
 * authorization request can open it again and again.
 */
export const strangersPerConsent = 20;

/**
 * Makes the statement that makes room for a journey: it deletes journeys of the consent in which
 * nobody has logged in. Those who have the URL cannot end a journey in which a customer has logged
 * in. A customer at the bank's own login, or in its app, is not known yet either. So it keeps the
 * oldest journeys that go on and the newest ones, and deletes those between.
 */
export const journeySurplus = ({
  uid,
  consentId,
  now,
}: Pick<Beginning, "uid" | "consentId" | "now">): Sql => sql`
  delete from journey where uid = any(array(
      select uid from (
        select uid, row_number() over (
            order by outcome is null and expires_at > ${now} desc, created_at, uid) as first,
          row_number() over (order by created_at desc, uid) as last
        from journey
        where consent_id = ${consentId} and ${rowFilter(sql`customer_id is null`)}
          and uid <> ${uid} and ends_by is null
      ) s
      where first > ${integer(strangersPerConsent / 2)}
        and last > ${integer(strangersPerConsent / 2 - 1)}))
    and ${rowFilter(sql`customer_id is null`)}
  returning uid`;

/**
 * Makes the statement that stores a journey at its first step, and returns its row. If the
 * authorization server stores its request again, only the request changes.
 */
export const journeyCreation = (begun: Beginning): Sql => sql`
  insert into journey (uid, consent_id, client_id, software_name, on_behalf_of, step, created_at,
    expires_at, interaction)
  select ${begun.uid}, ${begun.consentId}, ${begun.clientId}, n."softwareName", n."onBehalfOf",
    ${begun.step}, ${begun.now}::timestamptz, ${begun.expiresAt}::timestamptz,
    ${begun.interaction}::json
  from (${clientName(sql`${begun.clientId}`)}) n
  on conflict (uid) do update set interaction = excluded.interaction
  returning *`;

/**
 * Gives a journey to the bank's app, which goes on at the step `to`, and has been given `showings`
 * to show. Returns false if the journey is at another step by now, or somebody has logged in.
 */
export async function takeIntoApp(
  on: Queryable,
  { uid, step }: Pick<JourneyRow, "uid" | "step">,
  { to, showings }: { to: string; showings: readonly Showing[] },
): Promise<boolean> {
  const rows = await on.query(sql`
    update journey set is_in_app = true, step = ${to},
      showings = ${JSON.stringify(showings)}::json
    where uid = ${uid} and customer_id is null and step = ${step} returning uid`);
  return rows.length === 1;
}

/** A step that a journey moves to, with the facts that it brings. */
type Advance = {
  to: string;
  facts: JourneyFacts;
  /** The challenge that the step begins with; it is stored with the move. */
  challenge?: NewChallenge;
  expiresAt: Temporal.Instant;
  /** Statements that run with the move, even if the journey is now at another step. */
  later: readonly Sql[];
};

/**
 * Moves a journey on from its current step. Returns false, and moves nothing, if it is at another
 * step by now.
 */
export async function advanceJourney(
  on: Queryable,
  row: Pick<JourneyRow, "uid" | "step">,
  { to, facts, challenge, expiresAt, later }: Advance,
): Promise<boolean> {
  const { accounts, payeeCheck, authentication, showings } = facts;
  const jsonOf = (value: object | null | undefined) => (value ? JSON.stringify(value) : null);
  const moved = sql`
    update journey set step = ${to}, expires_at = ${expiresAt},
      customer_id = coalesce(${facts.customerId ?? null}, customer_id),
      customer_login = coalesce(${facts.customerLogin ?? null}, customer_login),
      customer_name = coalesce(${facts.customerName ?? null}, customer_name),
      login_amr = coalesce(${facts.loginAmr ?? null}::text[], login_amr),
      challenge_id = coalesce(${facts.challengeId ?? null}, challenge_id),
      accounts = coalesce(${jsonOf(accounts)}::json, accounts),
      account_ids = coalesce(${facts.accountIds ?? null}::text[], account_ids),
      payee_check = coalesce(${jsonOf(payeeCheck)}::json, payee_check),
      showings = coalesce(${jsonOf(showings)}::json, showings),
      authentication = coalesce(${jsonOf(authentication)}::json, authentication),
      step_up = coalesce(${facts.stepUp ?? null}, step_up)
    where uid = ${row.uid} and step = ${row.step} returning uid`;
  return (await on.query(withChallenge(moved, challenge, later))).length === 1;
}

/** Replaces the showings of a journey while it is at that step. */
export async function replaceShowings(
  on: Queryable,
  { uid, step }: Pick<JourneyRow, "uid" | "step">,
  showings: readonly Showing[],
): Promise<void> {
  await on.query(sql`
    update journey set showings = ${JSON.stringify(showings)}::json
    where uid = ${uid} and step = ${step}`);
}

/** Replaces a challenge that does not accept codes any more. */
export async function replaceChallenge(
  on: Queryable,
  row: Pick<JourneyRow, "uid" | "step" | "challengeId">,
  challenge: NewChallenge,
): Promise<void> {
  const replaced = sql`
    update journey set challenge_id = ${challenge.challengeId}
    where uid = ${row.uid} and challenge_id = ${row.challengeId} and step = ${row.step}
    returning uid`;
  await on.query(withChallenge(replaced, challenge));
}

/**
 * Whether a page's minutes are the longest time without activity, which they are after the second
 * factor. To ask for more time is activity, so it counts from now, and can be done again. Source:
 * SCA-RTS article 4(3)(d). Before the second factor, a page's time is extended once (WCAG 2.2.1),
 * and who asks early loses nothing.
 */
export const countsActivity = ({ authentication }: Pick<JourneyRow, "authentication">): boolean =>
  authentication !== null;

/**
 * Gives the customer more time for the current step. Returns false if it was given before, and can
 * be given only once.
 */
export async function extendJourney(
  on: Queryable,
  { uid, step, ...row }: Pick<JourneyRow, "uid" | "step" | "authentication">,
  expiresAt: Temporal.Instant,
): Promise<boolean> {
  const rows = await on.query(sql`
    update journey set expires_at = ${expiresAt}, extended_step = step
    where uid = ${uid} and step = ${step}
      and (${countsActivity(row)} or extended_step is distinct from step) returning uid`);
  return rows.length === 1;
}

const withChallenge = (
  move: Sql,
  challenge: NewChallenge | undefined,
  later: readonly Sql[] = [],
): Sql => {
  if (!challenge && later.length === 0) return move;
  const before = later.map((each, index) => sql`later_${integer(index)} as (${each}),`);
  const all = [...before, sql`moved as (${move})`].reduce((one, next) => sql`${one} ${next}`);
  return sql`with ${all}
    ${challenge ? challengeCreation(sql`moved`, challenge) : sql`select uid from moved`}`;
};

/** Counts a failed factor; returns the number of failures so far. */
export async function countFailure(on: Queryable, uid: string): Promise<number> {
  const row = await first<{ failures: number }>(
    on,
    sql`update journey set failures = failures + 1 where uid = ${uid} returning failures`,
  );
  return row?.failures ?? 0;
}

/** How a journey ends without an approval, and when. */
type End = {
  outcome: Exclude<JourneyOutcome, "approved">;
  result: InteractionResult;
  now: Temporal.Instant;
  /** What its customer was shown of the consent; null if nobody was shown anything. */
  attempt: (ApprovalAttempt & Pick<JourneyRow, "consentId">) | null;
} & Pick<JourneyRow, "lockedUntil" | "refusal">;

/**
 * Ends a journey without an approval: keeps the TPP's answer, and what its customer was shown. Its
 * challenge ends too: an answer that comes later, such as in the bank's app, approves nothing.
 * Returns false if the journey has ended before: nothing changes its outcome.
 */
export async function endJourney(
  on: Queryable,
  uid: string,
  { outcome, result, now, attempt, ...ends }: End,
): Promise<boolean> {
  const tried = attempt && attemptKeeping(sql`select from ended`, { ...attempt, attemptId: uid });
  const rows = await on.query(sql`
    with ended as (${journeyEnding(uid, outcome, result, ends)}),
      ${tried ?? sql``}
      closed as (${challengeEnding(sql`select challenge_id from ended`, now)})
    select uid from ended`);
  return rows.length === 1;
}

// the request is read more often than it is changed, and reading json costs less than jsonb
const withResult = (result: InteractionResult): Sql =>
  sql`(interaction::jsonb || ${JSON.stringify({ result })}::jsonb)::json`;

/**
 * Makes the statement that ends a journey and nothing else, for callers that make it part of
 * another statement. `provided` is a query that returns a row if the caller's action is done.
 */
export const journeyEnding = (
  uid: string,
  outcome: JourneyOutcome,
  result: InteractionResult,
  given: { provided?: Sql } & Partial<Pick<JourneyRow, "lockedUntil" | "refusal">>,
): Sql => sql`
  update journey set step = 'ended', outcome = ${outcome}, accounts = null, showings = '[]',
    locked_until = ${given.lockedUntil ?? null}, refusal = ${given.refusal ?? null},
    interaction = ${withResult(result)}
  where uid = ${uid} and step <> 'ended'
    ${given.provided ? sql`and exists (${given.provided})` : sql``}
  returning uid, challenge_id`;

/** A query that returns a row, and locks it, while the journey is at that step. */
export const journeyAt = ({ uid, step }: Pick<JourneyRow, "uid" | "step">): Sql => sql`
  select from journey where uid = ${uid} and step = ${step} for update`;

/** Replaces the answer that the TPP gets, unless it has the answer already. */
export async function replaceResult(
  on: Queryable,
  uid: string,
  result: InteractionResult,
): Promise<void> {
  await on.query(sql`
    update journey set interaction = ${withResult(result)}
    where uid = ${uid}`);
}

/** Whether a customer is on another way to the same consent. */
export async function hasOtherJourney(
  on: Queryable,
  row: Pick<JourneyRow, "uid" | "consentId">,
  now: Temporal.Instant,
): Promise<boolean> {
  const rows = await on.query(sql`
    select uid from journey where consent_id = ${row.consentId} and uid <> ${row.uid}
      and step <> 'ended' and expires_at > ${now} limit 1`);
  return rows.length > 0;
}

/**
 * Ids of journeys whose time is up and that nobody has ended. Every step gives the customer at
 * least `leastMinutes`, so younger journeys are read only if a TPP's request ends them.
 */
export async function listOverdueJourneys(
  on: Queryable,
  now: Temporal.Instant,
  leastMinutes: number,
): Promise<string[]> {
  const rows = await on.query<{ uid: string }>(
    sql`(select uid from journey
        where outcome is null and created_at <= ${now.subtract({ minutes: leastMinutes })}
          and expires_at <= ${now}
        order by created_at limit 500)
      union (select uid from journey where outcome is null and ends_by <= ${now} limit 500)`,
  );
  return rows.map(({ uid }) => uid);
}

const kept = { hours: 24 };

/**
 * Deletes journeys whose time was up a day ago: a customer who came back until then was shown the
 * outcome, and the authorization server does not go on with their requests any more.
 */
export const purgeJourneys = (on: Queryable, now: Temporal.Instant): Promise<number> =>
  inBatches(
    on,
    (limit) => sql`
      delete from journey where ctid = any(array(
        select ctid from journey
        where outcome is not null and created_at <= ${now.subtract(kept)}
          and expires_at <= ${now.subtract(kept)}
        limit ${limit} for update skip locked))
      returning uid`,
  );

/** Makes the statement that deletes the journeys of some consents, given a query of their ids. */
export const journeysOfConsents = (consentIds: Sql): Sql =>
  sql`delete from journey where consent_id in (${consentIds})`;

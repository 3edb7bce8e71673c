import {
  type AppOffer,
  type Challenge,
  type ChallengeSubject,
  type PasskeyOffer,
  subjectHash,
} from "#src/bank/challenge.ts";
import { type ActToConfirm, factsHashStart } from "#src/consents/approved-facts.ts";
import type { Showing } from "#src/consents/showing.ts";
import { inBatches } from "#src/storage/batches.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { integer } from "#src/storage/prepared.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { unflushed } from "#src/storage/unflushed.ts";
import { answersLockedUntil } from "./attempts.ts";

/** Wrong codes that a challenge allows. Source: SCA-RTS article 4(3)(b). */
const triesAllowed = 5;

/** The tries of a challenge that was ended: no answer uses as many. */
const triesOfEnded = triesAllowed + 1;

/** A challenge that was stored for a customer. */
export type StoredChallenge = {
  challengeId: string;
  customerId: string;
  method: Challenge["method"];
  subject: ChallengeSubject;
  subjectHash: string;
  /** The hash of the facts that it confirms; null if an earlier release has stored it. */
  factsHash: string | null;
  /** Whether it can still be answered. */
  isOpen: boolean;
  /** Whether nothing can change it any more: it was answered, replaced or used up. */
  isSettled: boolean;
  isVerified: boolean;
  /** The right answer, while no act has used it; otherwise null. */
  unspent: { amr: readonly string[]; at: string } | null;
  /** The answer in the app that has ended it without an approval; null if none has. */
  refusedAs: "declined" | "altered" | null;
  /** Whether the customer has asked for another one in its place, and has not answered this one. */
  isReplaced: boolean;
  /** Whether a TPP has begun it without a browser. */
  isByTpp: boolean;
  /** Where the code was sent: `mobile ending 417`; null if that is not known. */
  sentTo: string | null;
  /** What the page shows while the customer answers in the app; null for a code. */
  app: AppOffer | null;
  /** How the page asks for a passkey; null for other methods. */
  passkey: PasskeyOffer | null;
  /** How many codes the customer was sent before this one, for the same request. */
  newCodes: number;
  /** Until when no answer of the customer is checked (RFC 3339); null if the next one is. */
  lockedUntil: string | null;
  /** Until when it can be answered, by the bank's clock (RFC 3339). */
  expiresAt: string;
  /** What the customer was shown, for the evidence; null if a journey keeps that, or nobody. */
  showings: readonly Showing[] | null;
};

/** A challenge that the bank has made for a customer, with its subject. */
export type NewChallenge = Challenge &
  Pick<
    StoredChallenge,
    "customerId" | "subject" | "factsHash" | "newCodes" | "isByTpp" | "showings"
  >;

/** A challenge as it is stored before the customer answers it. */
export const unanswered = (challenge: NewChallenge): StoredChallenge => {
  const { challengeId, customerId, method, subject, factsHash, newCodes, isByTpp } = challenge;
  const { sentTo = null, app = null, passkey = null, showings } = challenge;
  const hash = subjectHash(subject);
  const known = { challengeId, customerId, method, subject, subjectHash: hash, factsHash };
  const shown = { sentTo, app, passkey, expiresAt: challenge.expiresAt.toString() };
  const unsettled = { isOpen: true, isSettled: false, isVerified: false, isReplaced: false };
  const without = { unspent: null, refusedAs: null, lockedUntil: null };
  return { ...known, ...shown, newCodes, isByTpp, showings, ...unsettled, ...without };
};

/** A subject that a customer confirms at the bank's provider. */
type HandedOver = Omit<NewChallenge, "method" | "sentTo" | "app" | "passkey" | "isByTpp"> & {
  method: "redirect";
};

/** Whether a challenge is answered at the bank's provider, and not by a method of the core. */
export const isHandedOver = ({ method }: { method: string }): boolean => method === "redirect";

/** Stores a challenge. */
export async function storeChallenge(
  on: Queryable,
  challenge: NewChallenge | HandedOver,
): Promise<void> {
  await on.query(challengeCreation(sql`(values (1))`, challenge));
}

/** Makes the statement that stores a challenge once for each row of `given`: one row, or none. */
export const challengeCreation = (given: Sql, challenge: NewChallenge | HandedOver): Sql => {
  const { challengeId, customerId, method, subject, expiresAt, showings } = challenge;
  const partial = challenge as Partial<NewChallenge>;
  const { sentTo = null, app = null, passkey = null, isByTpp = false } = partial;
  return sql`
    insert into login_challenge (challenge_id, customer_id, method, subject, subject_hash,
      facts_hash, expires_at, sent_to, new_codes, app, passkey, is_by_tpp, showings)
    select ${challengeId}::text, ${customerId}::text, ${method}::text,
      ${JSON.stringify(subject)}::json, ${subjectHash(subject)}::text,
      ${challenge.factsHash}::text, ${expiresAt}::timestamptz,
      ${sentTo}::text, ${challenge.newCodes}::integer, ${app && JSON.stringify(app)}::json,
      ${passkey && JSON.stringify(passkey)}::json, ${isByTpp}::boolean,
      ${showings && JSON.stringify(showings)}::json
    from ${given} given
    returning challenge_id`;
};

/** A subject that a customer has confirmed at the bank's own provider, or in its app. */
type Confirmed = Pick<NewChallenge, "challengeId" | "customerId"> &
  ActToConfirm &
  RightAnswer & { method: "redirect" | "app" };

/** Makes the statement that stores a challenge which was answered elsewhere. */
export const elsewhereConfirmed = (given: Confirmed): Sql => sql`
  insert into login_challenge (challenge_id, customer_id, method, subject, subject_hash, facts_hash,
    expires_at, verified_at, amr)
  values (${given.challengeId}, ${given.customerId}, ${given.method},
    ${JSON.stringify(given.subject)}::json, ${subjectHash(given.subject)}, ${given.factsHash},
    ${given.now}, ${given.now}, ${given.amr}::text[])`;

const notEnded = sql`tries < ${integer(triesOfEnded)}`;

const isUnsettled = sql`verified_at is null and tries < ${integer(triesAllowed)}`;

const isOpen = (now: Temporal.Instant): Sql => sql`${isUnsettled} and expires_at > ${now}`;

/** Loads a challenge by its id; returns null if there is none. */
export async function loadChallenge(
  on: Queryable,
  challengeId: string,
  now: Temporal.Instant,
): Promise<StoredChallenge | null> {
  const row = await first<{ challenge: StoredChallenge | null }>(
    on,
    sql`select (${challengeJson(sql`${challengeId}`, now)}) as challenge`,
  );
  return row?.challenge ?? null;
}

/** A stored challenge as one JSON value: for statements that read more with it. */
export const challengeJson = (challengeId: Sql, now: Temporal.Instant): Sql => sql`
  select json_build_object('challengeId', challenge_id, 'customerId', customer_id,
    'method', method, 'app', app, 'passkey', passkey, 'subject', subject,
    'subjectHash', subject_hash, 'factsHash', facts_hash, 'isVerified', verified_at is not null,
    'unspent', case when verified_at is not null and spent_at is null
      then json_build_object('amr', coalesce(amr, '{}'), 'at', verified_at) end,
    'refusedAs', refused_as, 'isReplaced', is_replaced, 'isByTpp', is_by_tpp,
    'showings', showings,
    'sentTo', sent_to, 'newCodes', new_codes, 'expiresAt', expires_at,
    'isSettled', not (${isUnsettled}), 'isOpen', ${isOpen(now)},
    'lockedUntil', (${answersLockedUntil(sql`login_challenge.customer_id`, now)}))
  from login_challenge where challenge_id = ${challengeId}`;

/** Lists the last day's app challenges that the customer has not approved, newest first. */
export async function listUnapproved(
  on: Queryable,
  customerId: string,
  now: Temporal.Instant,
): Promise<StoredChallenge[]> {
  const rows = await on.query<{ challenge: StoredChallenge }>(sql`
    select (${challengeJson(sql`l.challenge_id`, now)}) as challenge from login_challenge l
    where l.customer_id = ${customerId} and l.verified_at is null and l.method = 'decoupled'
    order by l.expires_at desc limit 20`);
  return rows.map(({ challenge }) => challenge);
}

/** The challenges that a customer can still answer, newest first. */
export const listOpenChallenges = (
  on: Queryable,
  customerId: string,
  now: Temporal.Instant,
): Promise<(Pick<StoredChallenge, "challengeId" | "subject"> & Pick<Challenge, "expiresAt">)[]> =>
  on.query(sql`
    select challenge_id as "challengeId", subject, expires_at as "expiresAt" from login_challenge
    where customer_id = ${customerId} and ${isOpen(now)}
    order by expires_at desc, challenge_id limit 100`);

/** A challenge that waits for the customer's answer in the app. */
type AppChallenge = Pick<NewChallenge, "challengeId" | "customerId" | "subject" | "expiresAt"> & {
  /** What the page shows, and the app asks for; null if no page waits. */
  digits: string | null;
  /** What the TPP shows too, if it has begun the request without a browser; otherwise null. */
  bindingMessage: string | null;
  /** What such a request says about the payee's name; null if nothing, or if a page says it. */
  warning: { title: string; text: string } | null;
};

/** Lists the challenges that customers can still answer in the app, newest first. */
export const listAppChallenges = (on: Queryable, now: Temporal.Instant): Promise<AppChallenge[]> =>
  on.query(sql`
    select c.challenge_id as "challengeId", c.customer_id as "customerId", subject,
      app->>'digits' as digits, c.expires_at as "expiresAt",
      j.interaction->'params'->>'binding_message' as "bindingMessage",
      j.showings->-1->'shown'->'warning' as warning
    from (select challenge_id, customer_id, subject, app, expires_at from login_challenge
        where method = 'decoupled' and ${isOpen(now)}) c
      left join journey j on j.challenge_id = c.challenge_id and j.ends_by is not null
    order by c.expires_at desc, c.challenge_id limit 100`);

/**
 * Makes the statement that uses one try of a challenge before the code is checked; it returns no
 * row if none is left, or `condition` is not met. The caller writes what the code was before it
 * answers.
 */
export const tryTaking = (challengeId: string, now: Temporal.Instant, condition: Sql): Sql => sql`
  update login_challenge set tries = tries + 1
  where challenge_id = ${challengeId} and ${rowFilter(isOpen(now))} and ${condition}
  returning challenge_id`;

/**
 * Ends a challenge: its code no longer works, and an answer in the app no longer counts. Returns
 * false if it had ended before.
 */
export async function endChallenge(
  on: Queryable,
  challengeId: string,
  now: Temporal.Instant,
): Promise<boolean> {
  return (await on.query(challengeEnding(sql`${challengeId}::text`, now))).length === 1;
}

const settled = (now: Temporal.Instant): Sql =>
  sql`expires_at = least(expires_at, ${now}), tries = ${integer(triesOfEnded)}`;

/**
 * Ends a challenge because the customer has asked for another one in its place. Returns false if it
 * had ended before.
 */
export async function endReplaced(
  on: Queryable,
  challengeId: string,
  now: Temporal.Instant,
): Promise<boolean> {
  const rows = await on.query(sql`
    update login_challenge set ${settled(now)}, is_replaced = true
    where challenge_id = ${challengeId} and ${rowFilter(isUnsettled)} returning challenge_id`);
  return rows.length === 1;
}

/** Makes the statement of `endChallenge`, given a query of one challenge's id. */
export const challengeEnding = (challengeId: Sql, now: Temporal.Instant): Sql => sql`
  update login_challenge set ${settled(now)}
  where challenge_id = (${challengeId}) and ${rowFilter(isUnsettled)} returning challenge_id`;

/**
 * Ends a challenge whose answer in the app is no approval, and keeps the answer for the page or the
 * journey that still waits. Returns false if it had ended before.
 */
export async function endRefused(
  on: Queryable,
  challengeId: string,
  refusedAs: NonNullable<StoredChallenge["refusedAs"]>,
  now: Temporal.Instant,
): Promise<boolean> {
  const rows = await on.query(sql`
    update login_challenge set ${settled(now)}, refused_as = ${refusedAs}
    where challenge_id = ${challengeId} and ${rowFilter(isUnsettled)} returning challenge_id`);
  return rows.length === 1;
}

/**
 * Ends a challenge whose act the customer does not want any more, and uses up a right answer that
 * no act has used. So this statement or `spendChallenge` decides, whichever comes first.
 */
export async function cancelChallenge(
  on: Queryable,
  challengeId: string,
  now: Temporal.Instant,
): Promise<void> {
  await on.query(sql`
    update login_challenge set ${settled(now)}, spent_at = ${now}
    where challenge_id = ${challengeId} and ${rowFilter(sql`spent_at is null`)}`);
}

/** Returns a try whose code could not be checked. */
export async function giveTryBack(on: Queryable, challengeId: string): Promise<void> {
  await on.query(sql`
    update login_challenge set tries = greatest(tries - 1, 0)
    where challenge_id = ${challengeId} and ${rowFilter(notEnded)}`);
}

/** The right answer of a challenge: the methods that the customer used (RFC 8176), and the time. */
type RightAnswer = { challengeId: string; amr: readonly string[]; now: Temporal.Instant };

/** Makes the statement which records the right answer, unless there was one before. */
export const verification = ({ challengeId, amr, now }: RightAnswer): Sql => sql`
  update login_challenge set verified_at = ${now}, amr = ${amr}::text[]
  where challenge_id = ${challengeId} and ${rowFilter(sql`verified_at is null`)}`;

/**
 * Records the right answer; returns false if there was one before, or the challenge was ended
 * meanwhile. The caller writes what the customer may do now before it answers.
 */
export async function markVerified(on: Queryable, answer: RightAnswer): Promise<boolean> {
  const rows = await on.query(sql`
    ${verification(answer)} and ${rowFilter(notEnded)} returning challenge_id, ${unflushed}`);
  return rows.length === 1;
}

// pages in several windows and processes may wait for the same answer
const secondsBetween = 2;

/**
 * Whether the core may be asked for the answer now; it is asked every 2 seconds at most, and also
 * after the end of the challenge, because the customer may have answered just before.
 */
export async function takeTurn(
  on: Queryable,
  challengeId: string,
  now: Temporal.Instant,
): Promise<boolean> {
  const rows = await on.query(sql`
    update login_challenge set asked_at = ${now}
    where challenge_id = ${challengeId} and ${rowFilter(isUnsettled)}
      and (asked_at is null or asked_at <= ${now.subtract({ seconds: secondsBetween })}
        or asked_at > ${now})
    returning challenge_id, ${unflushed}`);
  return rows.length === 1;
}

/** Lets the next page that waits ask the core at once, because the customer has answered. */
export async function hurry(on: Queryable, challengeId: string): Promise<void> {
  await on.query(sql`
    update login_challenge set asked_at = null where challenge_id = ${challengeId}`);
}

/** The act that is about to be done, and the challenge that must have confirmed it. */
type Spending = {
  challengeId: string | null;
  customerId: string;
  act: ActToConfirm;
  now: Temporal.Instant;
  /** A query that returns a row if the act can be done. */
  provided?: Sql;
};

/**
 * Uses up a confirmation, once. Returns false unless this customer has answered the challenge, and
 * the challenge was for exactly this act (`isSameAct`). If it returns false, nothing may be done.
 * Source: SCA-RTS article 5(1).
 */
export async function spendChallenge(on: Queryable, given: Spending): Promise<boolean> {
  return (await on.query(spending(given))).length === 1;
}

/** Makes the statement of `spendChallenge`, for callers that run it in their own statement. */
export const spending = (given: Spending): Sql => sql`
    update login_challenge set spent_at = ${given.now}
    where challenge_id = ${given.challengeId} and customer_id = ${given.customerId}
      and case when starts_with(facts_hash, ${factsHashStart})
        then facts_hash = ${given.act.factsHash}
        else subject_hash = ${subjectHash(given.act.subject)} end
      and verified_at is not null and spent_at is null
      ${given.provided ? sql`and exists (${given.provided})` : sql``}
    returning challenge_id`;

/** Deletes challenges that expired a day ago. */
export const purgeChallenges = (on: Queryable, now: Temporal.Instant): Promise<number> =>
  inBatches(
    on,
    (limit) => sql`
      delete from login_challenge where ctid = any(array(
        select ctid from login_challenge
        where expires_at <= ${now.subtract({ hours: 24 })}
        limit ${limit} for update skip locked))
      returning challenge_id`,
  );

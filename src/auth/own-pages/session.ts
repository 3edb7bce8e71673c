import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { LoginMethods } from "#src/auth/login/authentication.ts";
import { challengeJson, type StoredChallenge } from "#src/auth/login/challenges.ts";
import { cookieOf, readCookie, writeCookie } from "#src/auth/login/cookies.ts";
import { handedOverPrefix } from "#src/auth/login/own-return.ts";
import type { BankCustomer } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { idleMinutes } from "#src/pages/own-frame.ts";
import { inBatches } from "#src/storage/batches.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { sql } from "#src/storage/sql.ts";

/** A customer's session: `factor` has passed only the password, `in` both factors. */
export type Session = {
  state: "factor" | "in";
  customer: BankCustomer;
  loginAmr: LoginMethods;
  /** The challenge of the second factor; null after it. */
  challenge: StoredChallenge | null;
  /** The token that every form of this session holds. */
  formToken: string;
  /** The message about the last act, which no page has shown yet. */
  message: string | null;
  /** When the session ends, whatever the customer does. */
  endsAt: Temporal.Instant;
};

/** Reads and writes the sessions of the own channel. */
export type Sessions = {
  /**
   * Returns the session of the request's browser, or null, and restarts its idle time, unless the
   * browser may have loaded the page by itself.
   */
  read(request: FastifyRequest, given?: { isByItself: boolean }): Promise<Session | null>;
  /** Starts a session with a new token, and ends the session that the browser had. */
  start(
    request: FastifyRequest,
    reply: FastifyReply,
    given: Pick<Session, "state" | "customer" | "loginAmr"> & { challengeId: string | null },
  ): Promise<void>;
  /** Replaces the challenge of a session that is at the second factor. */
  replaceChallenge(request: FastifyRequest, challengeId: string): Promise<void>;
  /** Keeps a message for the next page of the session, or drops the one that was shown. */
  setMessage(request: FastifyRequest, message: string | null): Promise<void>;
  /** Whether a browser without a session had one that has timed out. */
  hasTimedOut(request: FastifyRequest): boolean;
  /** Ends the session: a copy of the cookie no longer works. */
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The CSRF token for the form of a browser that has not logged in. */
  anonymousToken(request: FastifyRequest, reply: FastifyReply): string;
  /** The id of a login at the bank's provider, for a browser that has not logged in. */
  handOverId(request: FastifyRequest, reply: FastifyReply): string;
  /** When this browser has begun the login with this id; null if it has not. */
  handOverBegan(request: FastifyRequest, id: string): Temporal.Instant | null;
  /** Whether a browser that has not logged in sent the CSRF token of its form. */
  holdsAnonymousToken(request: FastifyRequest, given: string | null): boolean;
};

// Source: SCA-RTS article 4(3)(d): five minutes without activity.
const idle = { minutes: idleMinutes };
const longest = { hours: 1 };
// longer than a session, so that a browser whose session has timed out can be told so
const cookieSeconds = 7200;
const anonymous = "new.";

type SessionRow = {
  state: Session["state"];
  customerId: string;
  login: string;
  name: string;
  loginAmr: LoginMethods;
  challenge: StoredChallenge | null;
  message: string | null;
  startedAt: Temporal.Instant;
};

/**
 * Stores sessions in the database, with times by the bank's clock. A browser that has not logged in
 * has only a signed value, and nothing is stored for it.
 */
export function createSessions(options: {
  database: Queryable;
  clock: Clock;
  secret: string;
  publicUrl: string;
}): Sessions {
  const { database, clock, secret, publicUrl } = options;
  const cookie = cookieOf("aldgate-bank", "Strict", publicUrl);
  const key = createHmac("sha256", secret).update("own pages").digest();
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const anonymousOf = (request: FastifyRequest): string | null => {
    const [, nonce = "", mac = ""] = readCookie(request, cookie).split(".");
    return nonce !== "" && isEqual(mac, sign(`new ${nonce}`)) ? nonce : null;
  };
  const nonceOf = (request: FastifyRequest, reply: FastifyReply): string => {
    const held = anonymousOf(request);
    const nonce = held ?? newId("form");
    if (!held) {
      writeCookie(reply, cookie, `${anonymous}${nonce}.${sign(`new ${nonce}`)}`, cookieSeconds);
    }
    return nonce;
  };
  // its time is in it, so nothing is stored before the login
  const handOverIdOf = (nonce: string, seconds: string): string =>
    `${handedOverPrefix}_${seconds}_${sign(`hand-over ${seconds} ${nonce}`)}`;
  const dropping = (request: FastifyRequest) =>
    sql`delete from own_session where session_hash = ${sha256(readCookie(request, cookie))}`;
  return {
    async read(request, { isByItself } = { isByItself: false }) {
      const token = readCookie(request, cookie);
      if (token === "" || token.startsWith(anonymous)) return null;
      const now = clock.now();
      const row = await first<SessionRow>(
        database,
        sql`update own_session
            set seen_at = case when ${isByItself}::boolean then seen_at else ${now} end
          where session_hash = ${sha256(token)}
            and ${rowFilter(sql`seen_at >= ${now.subtract(idle)}`)}
            and started_at >= ${now.subtract(longest)}
          returning state, customer_id as "customerId", customer_login as login,
            customer_name as name, login_amr as "loginAmr", message, started_at as "startedAt",
            (${challengeJson(sql`own_session.challenge_id`, now)}) as challenge`,
      );
      if (!row) return null;
      const { state, loginAmr, challenge, message, startedAt, ...customer } = row;
      const endsAt = startedAt.add(longest);
      const formToken = sign(`form ${token}`);
      return { state, customer, loginAmr, challenge, formToken, message, endsAt };
    },

    async start(request, reply, { state, customer, loginAmr, challengeId }) {
      const token = newId("session");
      const now = clock.now();
      await database.query(sql`
        with dropped as (${dropping(request)})
        insert into own_session (session_hash, state, customer_id, customer_login, customer_name,
          login_amr, challenge_id, started_at, seen_at)
        values (${sha256(token)}, ${state}, ${customer.customerId}, ${customer.login},
          ${customer.name}, ${loginAmr}::text[], ${challengeId}, ${now}, ${now})`);
      writeCookie(reply, cookie, token, cookieSeconds);
    },

    async replaceChallenge(request, challengeId) {
      const hash = sha256(readCookie(request, cookie));
      await database.query(sql`
        update own_session set challenge_id = ${challengeId} where session_hash = ${hash}`);
    },

    async setMessage(request, message) {
      const hash = sha256(readCookie(request, cookie));
      await database.query(sql`
        update own_session set message = ${message} where session_hash = ${hash}`);
    },

    hasTimedOut(request) {
      const token = readCookie(request, cookie);
      return token !== "" && !token.startsWith(anonymous);
    },

    async end(request, reply) {
      await database.query(dropping(request));
      writeCookie(reply, cookie, "", 0);
    },

    anonymousToken: (request, reply) => sign(`form ${nonceOf(request, reply)}`),

    handOverId(request, reply) {
      const seconds = Math.floor(clock.now().epochMilliseconds / 1000).toString(36);
      return handOverIdOf(nonceOf(request, reply), seconds);
    },

    handOverBegan(request, id) {
      const nonce = anonymousOf(request);
      const [, seconds = ""] = /^\w+?_([0-9a-z]+)_/.exec(id) ?? [];
      if (nonce === null || !isEqual(id, handOverIdOf(nonce, seconds))) return null;
      return Temporal.Instant.fromEpochMilliseconds(Number.parseInt(seconds, 36) * 1000);
    },

    holdsAnonymousToken(request, given) {
      const nonce = anonymousOf(request);
      return nonce !== null && isEqual(given ?? "", sign(`form ${nonce}`));
    },
  };
}

/**
 * Whether a session waits for the answer to this challenge. If the session has ended, the answer
 * logs nobody in.
 */
export async function isAwaited(
  on: Queryable,
  challengeId: string,
  now: Temporal.Instant,
): Promise<boolean> {
  const rows = await on.query(sql`
    select from own_session
    where challenge_id = ${challengeId} and seen_at >= ${now.subtract(idle)}
      and started_at >= ${now.subtract(longest)}`);
  return rows.length > 0;
}

/** Whether a form carried the token of its session. */
export const holdsToken = (session: Session, form: URLSearchParams): boolean =>
  isEqual(form.get("csrf") ?? "", session.formToken);

/** Deletes expired sessions. */
export const purgeSessions = (on: Queryable, now: Temporal.Instant): Promise<number> =>
  inBatches(
    on,
    (limit) => sql`
      delete from own_session where ctid = any(array(
        select ctid from own_session
        where seen_at < ${now.subtract(idle)} or started_at < ${now.subtract(longest)}
        limit ${limit} for update skip locked))
      returning session_hash`,
  );

function isEqual(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

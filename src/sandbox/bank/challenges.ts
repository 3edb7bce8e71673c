import { createHmac } from "node:crypto";
import { type ChallengeSubject, subjectHash } from "#src/bank/challenge.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { isSameText } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { unflushed } from "#src/storage/unflushed.ts";

const lifetimeMinutes = 5;
// Source: SCA-RTS article 4(3)(b).
const triesAllowed = 5;
const digits = 6;
// a random part, the end of its time (milliseconds), the subject's hash, and the customer's id
const idForm = /^sca-[^.]+\.([0-9a-z]{1,9})\.[^.]+\.(.+)$/;

/** The facts in the id of a challenge, which therefore needs no row before its first answer. */
type Asked = { customerId: string; expiresAt: Temporal.Instant };

/** Where a customer's codes come from: the secret, and the last digits of the mobile number. */
type Device = { secret: string; ending: string | null; login: string };

/**
 * What goes wrong with a customer's second factor, for tests. `refused`: every code is wrong.
 * `expired`: a code's time is over as soon as it is sent.
 */
export type FactorMishap = "refused" | "expired";

/** The sandbox bank's second factor. */
export type ChallengeCalls = Pick<Bank, "challenge" | "verify"> & {
  /** The code of a challenge for the sandbox to show; null if its time is up. */
  codeOf(challengeId: string): Promise<string | null>;
};

/**
 * Creates the sandbox bank's second factor. A challenge's code is derived from the customer's
 * secret and the challenge's id, which contains a hash of the subject, as in an authenticator that
 * shows what it signs. The code of any other challenge or amount is therefore wrong. Source:
 * SCA-RTS article 5(1)(b) to (d).
 *
 * A challenge is stored at its first answer. This needs no flush: the login, in the same database,
 * stores its own afterwards.
 */
export function createChallengeCalls(
  database: Database,
  clock: Clock,
  mishapOf: (login: string) => FactorMishap | undefined,
): ChallengeCalls {
  // secrets never change, and no part of the sandbox changes a number
  const devices = new Map<string, Device>();
  async function deviceOf(customerId: string): Promise<Device | undefined> {
    const known = devices.get(customerId);
    if (known !== undefined) return known;
    const found = await first<Device>(
      database,
      sql`select c.totp_secret as secret, right(p.contact->>'mobile', 3) as ending,
          c.login
        from customer c left join party p on p.party_id = c.customer_id
        where c.customer_id = ${customerId}`,
    );
    if (found) devices.set(customerId, found);
    return found;
  }
  /** The right code and the end of a challenge; undefined if it cannot be answered any more. */
  async function open(challengeId: string) {
    const asked = readId(challengeId);
    if (!asked || Temporal.Instant.compare(asked.expiresAt, clock.now()) <= 0) return undefined;
    const device = await deviceOf(asked.customerId);
    if (device === undefined) return undefined;
    const { customerId, expiresAt } = asked;
    const code = codeFrom(device.secret, challengeId);
    return { customerId, expiresAt, code, isRefused: mishapOf(device.login) === "refused" };
  }
  return {
    async challenge(customerId, subject) {
      const device = await deviceOf(customerId);
      const isOver = device !== undefined && mishapOf(device.login) === "expired";
      const expiresAt = clock.now().add({ minutes: isOver ? 0 : lifetimeMinutes });
      const challengeId = writeId({ customerId, expiresAt }, subject);
      const ending = device?.ending ?? null;
      const sentTo = ending === null ? {} : { sentTo: `mobile ending ${ending}` };
      return { challengeId, method: "code", expiresAt, ...sentTo };
    },

    async verify(challengeId, given) {
      const challenge = await open(challengeId);
      if (!challenge) return false;
      const isRight = isSameText(given, challenge.code) && !challenge.isRefused;
      // one statement counts the attempt and uses the challenge, so concurrent attempts all count;
      // it also does what a tester has asked for
      const tried = await first<{ isRight: boolean }>(
        database,
        sql`with failing as (
            delete from sandbox_failing_code where customer_id = ${challenge.customerId}
            returning customer_id
          )
          insert into sandbox_challenge as c (challenge_id, tries, used_at, expires_at)
          select ${challengeId}, case when f.customer_id is null then 1 else ${triesAllowed} end,
            case when f.customer_id is null then ${isRight ? clock.now() : null}::timestamptz end,
            ${challenge.expiresAt}
          from (values (true)) one left join failing f on true
          on conflict (challenge_id) do update
            set tries = c.tries + excluded.tries, used_at = excluded.used_at
            where c.used_at is null and c.tries < ${triesAllowed}
          returning used_at is not null as "isRight", ${unflushed}`,
      );
      return tried?.isRight ?? false;
    },

    codeOf: async (challengeId) => (await open(challengeId))?.code ?? null,
  };
}

/**
 * Makes the bank refuse the next code that a customer enters, even if it is right; its challenge
 * then accepts no other code.
 */
export const failNextCode = async (on: Queryable, customerId: string): Promise<void> => {
  await on.query(sql`
    insert into sandbox_failing_code (customer_id) values (${customerId}) on conflict do nothing`);
};

function writeId({ customerId, expiresAt }: Asked, subject: ChallengeSubject): string {
  const end = expiresAt.epochMilliseconds.toString(36);
  return [newId("sca"), end, subjectHash(subject), customerId].join(".");
}

function readId(challengeId: string): Asked | undefined {
  const [, end, customerId] = idForm.exec(challengeId) ?? [];
  if (end === undefined || customerId === undefined) return undefined;
  const expiresAt = Temporal.Instant.fromEpochMilliseconds(Number.parseInt(end, 36));
  return { customerId, expiresAt };
}

function codeFrom(secret: string, challengeId: string): string {
  const mac = createHmac("sha256", secret).update(challengeId).digest();
  return String(mac.readUInt32BE(0) % 10 ** digits).padStart(digits, "0");
}

/** Deletes challenges that expired more than a day ago. */
export const purgeSandboxChallenges = async (
  on: Queryable,
  now: Temporal.Instant,
): Promise<void> => {
  await on.query(sql`
    delete from sandbox_challenge where ctid = any(array(
      select ctid from sandbox_challenge where expires_at <= ${now.subtract({ hours: 24 })}
      limit 5000 for update skip locked))`);
};

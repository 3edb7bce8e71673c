import { createHmac } from "node:crypto";
import { subjectHash } from "#src/bank/challenge.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { unflushed } from "#src/storage/unflushed.ts";

const lifetimeMinutes = 5;
// Source: SCA-RTS article 4(3)(b).
const triesAllowed = 5;
const digits = 6;

type Secret = { challengeId: string; secret: string; hash: string };

/**
 * Creates the sandbox bank's second factor. A challenge's code is derived from the customer's
 * secret, the challenge and its subject, as in an authenticator that shows what it signs. The code
 * of any other challenge or amount is therefore wrong. Source: SCA-RTS article 5(1)(b) to (d).
 *
 * Its writes need no flush: the login, in the same database, stores its own afterwards.
 */
export function createChallengeCalls(
  database: Database,
  clock: Clock,
): Pick<Bank, "challenge" | "verify"> {
  return {
    async challenge(customerId, subject) {
      const challengeId = newId("sca");
      const now = clock.now();
      const expiresAt = now.add({ minutes: lifetimeMinutes });
      await database.query(sql`
        insert into sandbox_challenge (challenge_id, customer_id, subject, subject_hash, created_at,
          expires_at)
        values (${challengeId}, ${customerId}, ${JSON.stringify(subject)}::json,
          ${subjectHash(subject)}, ${now}, ${expiresAt})
        returning ${unflushed}`);
      return { challengeId, method: "code", expiresAt };
    },

    async verify(challengeId, code) {
      const now = clock.now();
      // the attempt is counted before the code is compared, so that concurrent attempts all count
      const open = await first<Secret>(
        database,
        sql`update sandbox_challenge h set tries = h.tries + 1 from customer c
          where h.challenge_id = ${challengeId} and c.customer_id = h.customer_id
            and h.used_at is null and h.expires_at > ${now} and h.tries < ${triesAllowed}
          returning h.challenge_id as "challengeId", h.subject_hash as hash,
            c.totp_secret as secret, ${unflushed}`,
      );
      if (!open || codeOf(open) !== code) return false;
      const used = await database.query(sql`
        update sandbox_challenge set used_at = ${now}
        where challenge_id = ${challengeId} and used_at is null
        returning challenge_id, ${unflushed}`);
      return used.length === 1;
    },
  };
}

function codeOf({ challengeId, secret, hash }: Secret): string {
  const mac = createHmac("sha256", secret).update(`${challengeId}\n${hash}`).digest();
  return String(mac.readUInt32BE(0) % 10 ** digits).padStart(digits, "0");
}

/** Returns the code of a challenge for the sandbox to show, or null if the challenge is closed. */
export async function loadCode(
  on: Queryable,
  now: Temporal.Instant,
  challengeId: string,
): Promise<string | null> {
  const open = await first<Secret>(
    on,
    sql`select h.challenge_id as "challengeId", h.subject_hash as hash, c.totp_secret as secret
      from sandbox_challenge h join customer c on c.customer_id = h.customer_id
      where h.challenge_id = ${challengeId} and h.used_at is null and h.expires_at > ${now}
        and h.tries < ${triesAllowed}`,
  );
  return open ? codeOf(open) : null;
}

/** Deletes challenges that expired more than a day ago. */
export const purgeSandboxChallenges = async (
  on: Queryable,
  now: Temporal.Instant,
): Promise<void> => {
  await on.query(sql`
    delete from sandbox_challenge where challenge_id in (
      select challenge_id from sandbox_challenge where expires_at <= ${now.subtract({ hours: 24 })}
      limit 5000 for update skip locked)`);
};

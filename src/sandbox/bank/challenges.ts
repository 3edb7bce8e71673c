import { createHmac } from "node:crypto";
import { type ChallengeSubject, subjectHash } from "#src/bank/challenge.ts";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { sql } from "#src/storage/sql.ts";
import { unflushed } from "#src/storage/unflushed.ts";

const lifetimeMinutes = 5;
// Source: SCA-RTS article 4(3)(b).
const triesAllowed = 5;
const digits = 6;

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
  // secrets never change
  const secrets = new Map<string, string>();
  async function secretOf(customerId: string): Promise<string> {
    const known = secrets.get(customerId);
    if (known !== undefined) return known;
    const row = await first<{ secret: string }>(
      database,
      sql`select totp_secret as secret from customer where customer_id = ${customerId}`,
    );
    const { secret } = present(row, `the customer ${customerId}`);
    secrets.set(customerId, secret);
    return secret;
  }
  return {
    async challenge(customerId, subject) {
      const challengeId = newId("sca");
      const now = clock.now();
      const expiresAt = now.add({ minutes: lifetimeMinutes });
      const code = codeOf(await secretOf(customerId), challengeId, subject);
      await database.query(sql`
        insert into sandbox_challenge (challenge_id, customer_id, subject, code, created_at,
          expires_at)
        values (${challengeId}, ${customerId}, ${JSON.stringify(subject)}::json, ${code}, ${now},
          ${expiresAt})
        returning ${unflushed}`);
      return { challengeId, method: "code", expiresAt };
    },

    async verify(challengeId, code) {
      const now = clock.now();
      // one statement counts the attempt and compares the code, so concurrent attempts all count
      const tried = await first<{ isRight: boolean }>(
        database,
        sql`update sandbox_challenge set tries = tries + 1,
            used_at = case when code = ${code} then ${now}::timestamptz end
          where challenge_id = ${challengeId} and used_at is null
            and ${rowFilter(sql`expires_at > ${now}`)} and tries < ${triesAllowed}
          returning used_at is not null as "isRight", ${unflushed}`,
      );
      return tried?.isRight ?? false;
    },
  };
}

function codeOf(secret: string, challengeId: string, subject: ChallengeSubject): string {
  const text = `${challengeId}\n${subjectHash(subject)}`;
  const mac = createHmac("sha256", secret).update(text).digest();
  return String(mac.readUInt32BE(0) % 10 ** digits).padStart(digits, "0");
}

/** Returns the code of a challenge for the sandbox to show, or null if the challenge is closed. */
export async function loadCode(
  on: Queryable,
  now: Temporal.Instant,
  challengeId: string,
): Promise<string | null> {
  const open = await first<{ code: string }>(
    on,
    sql`select code from sandbox_challenge where challenge_id = ${challengeId}
      and used_at is null and ${rowFilter(sql`expires_at > ${now}`)} and tries < ${triesAllowed}`,
  );
  return open?.code ?? null;
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

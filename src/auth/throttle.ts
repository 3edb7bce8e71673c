import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { purge } from "./purge.ts";

/** Wrong tries in a row before there is a wait. Source: SCA-RTS art. 4(3)(b). */
const freeAttempts = 5;
const waitMinutes = 15;

/**
 * Takes one attempt on a login or a second factor before it is judged, so that attempts made at the
 * same time are all counted; false when it has to wait. The fifth wrong one starts the wait, and
 * so does each after it. `subject` is what is tried against: of one key in every channel.
 */
export async function takeAttempt(
  on: Queryable,
  subject: string,
  now: Temporal.Instant,
): Promise<boolean> {
  const rows = await on.query(sql`
    insert into login_throttle as t (login, failures, locked_until)
    values (${subject}, 1, ${now})
    on conflict (login) do update set failures = t.failures + 1,
      locked_until = case when t.failures + 1 >= ${freeAttempts}
        then ${now.add({ minutes: waitMinutes })}::timestamptz else ${now}::timestamptz end
    where t.locked_until is null or t.locked_until <= ${now}
    returning login`);
  return rows.length === 1;
}

/** Forgets the attempts on a subject: the last one was right. */
export async function forgetAttempts(on: Queryable, subject: string): Promise<void> {
  await on.query(sql`delete from login_throttle where login = ${subject}`);
}

/** Forgets attempts of more than a day ago. */
export const purgeAttempts = (on: Queryable, now: Temporal.Instant): Promise<void> =>
  purge(
    on,
    (limit) => sql`
      delete from login_throttle where login in (
        select login from login_throttle where locked_until <= ${now.subtract({ hours: 24 })}
        limit ${limit} for update skip locked)
      returning login`,
  );

/** The key of a login: letter case and outer space are not what keeps two attempts apart. */
export const loginSubject = (login: string): string =>
  `login:${login.trim().toLowerCase().slice(0, 100)}`;

/** The key of a customer's second factor. */
export const factorSubject = (customerId: string): string => `factor:${customerId}`;

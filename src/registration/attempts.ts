import { inBatches } from "#src/storage/batches.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A request to the registration endpoint, as it is recorded. Source: R-142. */
export type Attempt = {
  at: Temporal.Instant;
  interactionId: string;
  method: string;
  /** Null without a valid client certificate. */
  certificateSubject: string | null;
  /** As the request names it, verified or not. */
  softwareId: string | null;
  clientId: string | null;
  status: number;
  /** The rule that the request breaks; null if it breaks none. */
  rule: string | null;
  /** The description that the TPP got; null if the request succeeded. */
  description: string | null;
};

/** Records an attempt. */
export async function recordAttempt(on: Queryable, given: Attempt): Promise<void> {
  await on.query(sql`
    insert into registration_attempt (at, interaction_id, method, certificate_subject, software_id,
      client_id, status, rule, description)
    values (${given.at}, ${given.interactionId}, ${given.method}, ${given.certificateSubject},
      ${given.softwareId}, ${given.clientId}, ${given.status}, ${given.rule},
      ${given.description})`);
}

/** Lists the newest attempts that concern a client or its software, newest first. */
export const listAttempts = (
  on: Queryable,
  { clientId, softwareId }: { clientId: string; softwareId: string },
  limit: number,
): Promise<Attempt[]> =>
  on.query<Attempt>(sql`
    select at, interaction_id as "interactionId", method,
      certificate_subject as "certificateSubject", software_id as "softwareId",
      client_id as "clientId", status, rule, description
    from registration_attempt where client_id = ${clientId} or software_id = ${softwareId}
    order by attempt_id desc limit ${limit}`);

/** How many days the record of an attempt is kept. */
const keptDays = 400;

/** Deletes attempts that are more than 400 days old. Returns how many. */
export const purgeAttempts = (on: Queryable, now: Temporal.Instant): Promise<number> =>
  inBatches(
    on,
    (limit) => sql`
      delete from registration_attempt where ctid = any(array(
        select ctid from registration_attempt
        where at < ${now.subtract({ hours: keptDays * 24 })}
        order by at limit ${limit} for update skip locked))
      returning attempt_id`,
  );

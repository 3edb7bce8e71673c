import { expireConsents, rejectOverdueConsents } from "#src/consents/sweep-consents.ts";
import { purgeBrokenFiles } from "#src/payments/files/store-file.ts";
import { keyLifetime } from "#src/payments/request/idempotency-key.ts";
import { inBatches } from "#src/storage/batches.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { completeFiles } from "./complete-files.ts";
import { rejectOverdueAuthorisations } from "./multi-authorisation.ts";
import { purgeFailures } from "./stuck-payments.ts";

/**
 * Ends what has waited for too long and deletes what is out of date: one pass, safe on any number
 * of processes at once. `consentLifetimeSeconds`: how long a consent waits for its customer.
 */
export async function sweep(
  on: Queryable,
  now: Temporal.Instant,
  consentLifetimeSeconds: number,
): Promise<void> {
  await rejectOverdueConsents(on, now, consentLifetimeSeconds);
  await expireConsents(on, now);
  await rejectOverdueAuthorisations(on, now);
  await completeFiles(on, null, now);
  await purgeIdempotencyKeys(on, now);
  await purgeFailures(on);
  while ((await purgeBrokenFiles(on)) > 0);
}

const purgeIdempotencyKeys = (on: Queryable, now: Temporal.Instant): Promise<number> =>
  inBatches(
    on,
    (limit) => sql`
      delete from idempotency_key where ctid = any(array(
        select ctid from idempotency_key
        where created_at <= ${now}::timestamptz - ${keyLifetime}
        order by created_at limit ${limit} for update skip locked))
      returning 1`,
  );

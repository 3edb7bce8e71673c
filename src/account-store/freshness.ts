import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** The age of a cluster of facts: when the account that lags most was last delivered. */
type ClusterAge = { cluster: string; asOf: Temporal.Instant };

/**
 * Lists each cluster with the time up to which the account that lags most has been delivered, by
 * its own mark or by that of its source. A cluster is left out if all its accounts are live.
 */
export const listOldestDeliveries = (on: Queryable): Promise<ClusterAge[]> =>
  on.query<ClusterAge>(sql`
    select c.cluster, min(greatest(f.as_of, s.delivered_until)) as "asOf"
    from unnest(array['account', 'balances', 'transactions', 'regular-payments', 'statements'])
      as c(cluster)
    cross join (
      select source, delivered_until from feed_source union all select '', null::timestamptz
    ) s
    cross join lateral (
      select as_of from account_freshness
      where cluster = c.cluster and source = s.source order by as_of limit 1
    ) f where f.as_of < 'infinity' group by c.cluster order by c.cluster`);

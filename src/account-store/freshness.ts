import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** How far a cluster of facts lags behind: the account whose facts were delivered longest ago. */
export type ClusterAge = { cluster: string; asOf: Temporal.Instant };

/**
 * Lists each cluster with the time up to which the account that lags most has been delivered.
 * Clusters of which every account is live are left out.
 */
export const listOldestDeliveries = (on: Queryable): Promise<ClusterAge[]> =>
  on.query<ClusterAge>(sql`
    select c.cluster, f.as_of as "asOf"
    from unnest(array['account', 'balances', 'transactions', 'regular-payments', 'statements'])
      as c(cluster)
    cross join lateral (
      select as_of from account_freshness where cluster = c.cluster order by as_of limit 1
    ) f where f.as_of < 'infinity'`);

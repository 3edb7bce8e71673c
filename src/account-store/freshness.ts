import type { Queryable } from "#src/storage/database.ts";
import { literal } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { Cluster } from "./feed.ts";

/**
 * SQL: the time up to which the bank has delivered the row `f` of `account_freshness`, with the row
 * `s` of its source. This is the later of the row's own mark and the source's, but at most the time
 * when the source was last heard: no mark can be true for longer, and what is `live` was current
 * then. It is infinity if it has no source, because the bank sends each change in the transaction
 * that makes it.
 */
export const deliveredUntil = sql`least(greatest(f.as_of, s.delivered_until), s.heard_at)`;

/** The age of a cluster of facts: when the account that lags most was last delivered. */
type ClusterAge = { cluster: string; asOf: Temporal.Instant };

/**
 * Lists each cluster with the time up to which the account that lags most has been delivered. A
 * cluster is left out if the bank sends all its changes in the transactions that make them.
 */
export const listOldestDeliveries = (on: Queryable): Promise<ClusterAge[]> =>
  on.query<ClusterAge>(sql`
    select c.cluster, min(${deliveredUntil}) as "asOf"
    from unnest(array['account', 'balances', 'transactions', 'regular-payments', 'statements'])
      as c(cluster)
    cross join (
      select source, delivered_until, heard_at from feed_source
      union all select '', null::timestamptz, null::timestamptz
    ) s
    cross join lateral (
      (select as_of from account_freshness
        where cluster = c.cluster and source = s.source order by as_of limit 1)
      union all
      (select as_of from account_freshness
        where cluster = c.cluster and source = s.source order by as_of desc limit 1)
    ) f
    where ${deliveredUntil} < 'infinity' group by c.cluster order by c.cluster`);

/**
 * SQL: whether one of the accounts in a table with the column `account_id` was delivered up to a
 * time before `limit` only, or the bank does not say up to when: it may not have sent the account
 * yet. An account that the bank has removed while it was shared has no age. `sharedSince` is since
 * when; if it was removed before, the bank has to send it again.
 */
export const isDeliveredBefore = (
  accounts: Sql,
  cluster: Cluster,
  { limit, sharedSince }: { limit: Sql; sharedSince: (accountId: Sql) => Sql },
): Sql => sql`exists (
  select from ${accounts} d
  left join account_freshness f on f.account_id = d.account_id and f.cluster = ${literal(cluster)}
  left join feed_source s on s.source = f.source
  where coalesce(${deliveredUntil} < ${limit}, not exists (
    select from removed_fact r where r.entity = 'account' and r.key = d.account_id
      and r.removed_at >= ${sharedSince(sql`d.account_id`)})))`;

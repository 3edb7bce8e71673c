import { hasChangedAfter } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import { isOneOf } from "#src/storage/personal-table.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * SQL: whether a consent has an order that goes on, or that has changed after the given time, or a
 * payment of this kind.
 */
export const hasRecentOrder = (consentId: Sql, after: Temporal.Instant): Sql => sql`exists (
  select from payment_order o
  where o.consent_id = ${consentId} and (o.status_updated_at > ${after}
    or o.authorisation_updated_at > ${after} or o.authorisation_status = 'AWAF'
    or ${hasChangedAfter(sql`o.order_id`, after)}
    or exists (
      select from payment p where p.order_id = o.order_id
        and (p.due_at is not null or p.status_updated_at > ${after}))))`;

/** SQL: how many payments a consent has, or how many its file has begun, about. */
export const countPayments = (consentId: Sql): Sql => sql`(
  coalesce((
    select sum((select max(p.sequence) from payment p where p.order_id = o.order_id))
    from payment_order o where o.consent_id = ${consentId}), 0)
  + coalesce((
    select max(b.first_sequence) from payment_file f
    join payment_file_batch b on b.file_id = f.file_id where f.consent_id = ${consentId}), 0))`;

/**
 * Deletes the orders of consents with all that belongs to them but their history. Returns the ids
 * of the orders.
 */
export async function deleteOrders(
  on: Queryable,
  consentIds: readonly string[],
): Promise<string[]> {
  const found = await on.query<{ id: string }>(sql`
    select order_id as id from payment_order where ${isOneOf(sql`consent_id`, consentIds)}`);
  const ids = found.map(({ id }) => id);
  await on.query(sql`
    delete from payment_failure where payment_id = any(array(
      select payment_id from payment where ${isOneOf(sql`order_id`, ids)}))`);
  await on.query(sql`delete from payment where ${isOneOf(sql`order_id`, ids)}`);
  await on.query(sql`delete from payment_order where ${isOneOf(sql`order_id`, ids)}`);
  await on.query(sql`delete from limit_use where ${isOneOf(sql`consent_id`, consentIds)}`);
  await on.query(sql`delete from payment_file where ${isOneOf(sql`consent_id`, consentIds)}`);
  return ids;
}

import { byBank, changed } from "#src/history/change.ts";
import {
  filePaymentsInWork,
  nextOrderStatus,
  orderStatusesBefore,
  type PaymentStatus,
} from "#src/payments/order/order-states.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Whether a payment of a file in this status has been processed. */
export const isDealtWith = (status: PaymentStatus): boolean => !filePaymentsInWork.includes(status);

const before = orderStatusesBefore("file", "complete");
const complete = nextOrderStatus("file", "PDNG", "complete");
const fail = nextOrderStatus("file", "PDNG", "fail");

/**
 * Finishes the files that have no more payments in progress: INCO if all were made, INFA with the
 * reasons if any was not. Covers the orders `orderIds`, or all orders (null) for the sweep, which
 * repairs files whose process died between the last payment and this call. It reads committed
 * payments, so the last of several engines sees the results of the others. Source: PISP resource
 * pages, File Payments, State Model.
 */
export async function completeFiles(
  on: Queryable,
  orderIds: readonly string[] | null,
  now: Temporal.Instant,
): Promise<void> {
  await on.query(sql`
    with done as materialized (
      select o.order_id from payment_order o
      where o.file_in_work_since is not null and o.status = any(${before}::text[])
        and (${orderIds}::text[] is null or o.order_id = any(${orderIds}::text[]))
        and not exists (select from payment p where p.in_work_of_file = o.order_id)
    ), reasons as (
      select order_id, json_agg(json_build_object('code', coalesce(code, 'NARR'),
        'text', left(format('%s of the payments: %s', count, text), 500))
        order by count desc, code) as reasons
      from (
        select p.order_id, p.status_reason_code as code, count(*) as count,
          min(p.status_reason_text) as text
        from payment p join done d on d.order_id = p.order_id
        where p.status in ('RJCT', 'CANC') group by p.order_id, p.status_reason_code
      ) failed group by order_id
    )
    update payment_order o set status_updated_at = ${now}, ${changed(byBank(now))},
      file_in_work_since = null,
      status = case when r.order_id is null then ${complete}::text else ${fail}::text end,
      status_reason = coalesce(r.reasons, '[]'::json)
    from done d left join reasons r on r.order_id = d.order_id
    where o.order_id = d.order_id and o.status = any(${before}::text[])`);
}

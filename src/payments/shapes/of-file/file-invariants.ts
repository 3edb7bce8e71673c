import { filePaymentsInWork, filesInWork } from "#src/payments/order/order-states.ts";
import type { Invariant } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";

/** The invariants of orders with the payments of a file. */
export const fileInvariants: readonly Invariant[] = [
  {
    name: "a file and its payments are marked while they are in progress",
    breaches: (within) => sql`select o.order_id, o.family || ' ' || o.status || ' ' || p.status,
        concat_ws(' ', o.file_in_work_since, p.in_work_of_file)
      from payment_order o join payment p on p.order_id = o.order_id
      where ${within(sql`o.order_id`)} and (
        o.file_in_work_since is distinct from case when o.family = 'file'
          and o.status = any(${[...filesInWork]}::text[]) then o.created_at end
        or p.in_work_of_file is distinct from case when o.family = 'file'
          and p.status = any(${[...filePaymentsInWork]}::text[]) then o.order_id end)`,
  },
];

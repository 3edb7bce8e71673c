import type { Bank, DirectDebit } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

type Row = Omit<DirectDebit, "previous"> & {
  previousAt: Temporal.Instant | null;
  previousMinor: bigint | null;
  previousCurrency: string | null;
};

/** The bank's side of mandates, as far as their customers go. */
export function createMandateCalls(
  database: Database,
  clock: Clock,
): Pick<Bank, "listDirectDebits" | "cancelDirectDebit"> {
  return {
    async listDirectDebits(customerId) {
      const rows = await database.query<Row>(sql`
        select d.direct_debit_id as "directDebitId", d.account_id as "accountId",
          d.originator_name as "originatorName", d.mandate_reference as "mandateReference",
          d.status = 'Active' as "isActive", d.due_at as "nextAt", l.booked_at as "previousAt",
          l.amount_minor as "previousMinor", l.currency as "previousCurrency"
        from account_holder h
        join direct_debit d on d.account_id = h.account_id
        left join lateral (
          select p.booked_at, p.amount_minor, p.currency
          from direct_debit_collection c join posting p on p.posting_id = c.posting_id
          where c.direct_debit_id = d.direct_debit_id and c.outcome = 'collected'
          order by c.due_on desc limit 1
        ) l on true
        where h.customer_id = ${customerId}
        order by d.due_at nulls last, d.originator_name, d.direct_debit_id`);
      return rows.map(({ previousAt: at, previousMinor, previousCurrency, ...mandate }) => ({
        ...mandate,
        previous:
          at !== null && previousMinor !== null && previousCurrency !== null
            ? { at, amount: { amountMinor: previousMinor, currency: previousCurrency } }
            : null,
      }));
    },

    // A collection in progress locks the mandate, so that the first of the two completes.
    async cancelDirectDebit(customerId, id) {
      const rows = await database.query(sql`
        update direct_debit d set status = 'Cancelled', status_updated_at = ${clock.now()},
          due_at = null
        from account_holder h
        where d.direct_debit_id = ${id} and d.status = 'Active'
          and h.account_id = d.account_id and h.customer_id = ${customerId}
        returning 1`);
      return rows.length === 1;
    },
  };
}

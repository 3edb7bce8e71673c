import { type Sql, sql } from "#src/storage/sql.ts";

/** The execution times of a file's payments. */
type FileTiming = {
  /** The time for payments without their own date; null means immediately. */
  executeAt: Temporal.Instant | null;
  now: Temporal.Instant;
  /** Whether signatures are missing, so that the engine ignores the payments. */
  waiting: boolean;
};

/**
 * The payments of an uploaded file as rows of a query for `createOrders`. They are copied from one
 * table to another without passing through this process.
 */
export const filePaymentRows = (
  fileId: string,
  { executeAt, now, waiting }: FileTiming,
): Sql => sql`
  select i.payment_id, i.sequence,
    case when not ${waiting}::boolean and coalesce(i.execute_at, ${executeAt}::timestamptz) > ${now}
      then 'PDNG' end as status,
    i.amount_minor, i.charge_minor, i.currency, i.creditor, i.end_to_end_id, i.reference,
    i.local_instrument, coalesce(i.execute_at, ${executeAt}::timestamptz) as execute_at,
    case when not ${waiting}::boolean
      then greatest(coalesce(i.execute_at, ${executeAt}::timestamptz), ${now}::timestamptz)
      end as due_at,
    null::date as scheduled_on, null::boolean as is_last,
    i.international
  from payment_file_batch b, json_to_recordset(b.instructions) as i(payment_id text,
    sequence integer, amount_minor bigint, charge_minor bigint, currency text, creditor json,
    end_to_end_id text, reference text, local_instrument text, execute_at timestamptz,
    international json)
  where b.file_id = ${fileId}`;

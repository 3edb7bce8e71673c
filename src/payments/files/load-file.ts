import type { ReportedPayment } from "#src/payments/formats/report-words.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** An uploaded file, without its bytes. */
type StoredFile = { fileId: string; contentType: string };

/** Loads the file of a consent; undefined if there is none yet. */
export const loadFile = (on: Queryable, consentId: string): Promise<StoredFile | undefined> =>
  first<StoredFile>(
    on,
    sql`select file_id as "fileId", content_type as "contentType" from payment_file
      where consent_id = ${consentId}`,
  );

/** The bytes of a file, piece by piece. */
export async function* readFile(on: Queryable, fileId: string): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; position++) {
    const row = await first<{ bytes: Uint8Array }>(
      on,
      sql`select bytes from payment_file_chunk
        where file_id = ${fileId} and position = ${position}`,
    );
    if (!row) return;
    yield row.bytes;
  }
}

/** Counts the payments of an order, and those that have failed. */
export async function countPayments(
  on: Queryable,
  orderId: string,
): Promise<{ count: number; failed: number }> {
  const row = await first<{ count: number; failed: number }>(
    on,
    sql`select count(*)::integer as count,
        count(*) filter (where status in ('RJCT', 'CANC'))::integer as failed
      from payment where order_id = ${orderId}`,
  );
  return row ?? { count: 0, failed: 0 };
}

/** A payment of a file with the TPP's own names for it. */
export type FilePaymentRow = Omit<ReportedPayment, "amount"> & { amountMinor: bigint };

/**
 * Reads the payments of a file in order, in the batches in which they were stored. They are fetched
 * before they are joined, because the planner has no statistics yet for a table that has just grown
 * by a file.
 */
export async function* readFilePayments(
  on: Queryable,
  fileId: string,
  orderId: string,
): AsyncGenerator<FilePaymentRow[]> {
  for (let sequence = 1; ; ) {
    const rows = await on.query<FilePaymentRow>(sql`
      with batch as materialized (
        select instructions from payment_file_batch
        where file_id = ${fileId} and first_sequence = ${sequence}
      ), page as materialized (
        select payment_id, sequence, end_to_end_id, amount_minor, currency, status,
          status_updated_at, status_reason_code, status_reason_text
        from payment where order_id = ${orderId} and sequence >= ${sequence}
        order by sequence limit (select json_array_length(instructions) from batch)
      )
      select p.payment_id as "paymentId", i.group_id as "group",
        i.instruction_id as "instructionId", p.end_to_end_id as "endToEndId",
        p.amount_minor as "amountMinor", p.currency, p.status,
        p.status_updated_at as "statusUpdatedAt", p.status_reason_code as "reasonCode",
        p.status_reason_text as "reasonText"
      from batch b, json_to_recordset(b.instructions) as i(sequence integer, group_id text,
        instruction_id text)
      join page p on p.sequence = i.sequence
      order by p.sequence`);
    if (rows.length === 0) return;
    yield rows;
    sequence += rows.length;
  }
}

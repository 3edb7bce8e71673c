import { toInternationalRecord } from "#src/bank/international-record.ts";
import { type Consent, fileArrival } from "#src/consents/consent.ts";
import type { ConsentCourse } from "#src/consents/states.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import type { Why } from "#src/history/change.ts";
import { newId } from "#src/lib/ids.ts";
import { type KeyUse, keyBinding, keyRow } from "#src/payments/request/idempotency-key.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { rowFilter } from "#src/storage/row-filter.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { FileInstruction } from "./file-reader.ts";

/**
 * A file that is being stored. It belongs to no consent until `attachFile` is called, and is swept
 * away if that never happens.
 */
export type ComingFile = { fileId: string; chunks: number };

/** Begins to store a file. */
export async function beginFile(on: Queryable, contentType: string): Promise<ComingFile> {
  const fileId = newId("file");
  await on.query(sql`
    insert into payment_file (file_id, content_type) values (${fileId}, ${contentType})`);
  return { fileId, chunks: 0 };
}

/** Stores the next bytes of a file. */
export async function storeChunk(on: Queryable, file: ComingFile, bytes: Buffer): Promise<void> {
  await on.query(sql`
    insert into payment_file_chunk (file_id, position, bytes)
    values (${file.fileId}, ${file.chunks}, ${bytes})`);
  file.chunks += 1;
}

/** Stores the next instructions of a file, one at least. */
export async function storeInstructions(
  on: Queryable,
  { fileId }: ComingFile,
  instructions: readonly FileInstruction[],
): Promise<void> {
  const shared = [...new Set(instructions.flatMap((one) => one.shared ?? []))];
  const records = instructions.map((one, index) => ({
    ...toRecord(one),
    // the first instruction has the entries that the others of the batch name by their places
    ...(index === 0 && shared.length > 0 ? { shared } : {}),
    ...(one.shared?.length ? { shares: one.shared.map((entry) => shared.indexOf(entry)) } : {}),
  }));
  await on.query(sql`
    insert into payment_file_batch (file_id, first_sequence, instructions)
    values (${fileId}, ${instructions[0]?.sequence ?? 0},
      ${JSON.stringify(records)}::json)`);
}

const toRecord = ({ sequence, paymentId, draft, instructionId, group, said }: FileInstruction) => ({
  payment_id: paymentId,
  sequence,
  amount_minor: draft.amount.amountMinor.toString(),
  charge_minor: draft.chargeMinor.toString(),
  currency: draft.amount.currency,
  creditor: draft.creditor,
  end_to_end_id: draft.endToEndId,
  reference: draft.reference,
  local_instrument: draft.localInstrument,
  execute_at: draft.executeAt?.toString() ?? null,
  // absent for most payments: a null would take space in each of 100,000 rows
  international: draft.international && toInternationalRecord(draft.international),
  instruction_id: instructionId,
  group_id: group,
  said,
});

class TooLate extends Error {}

/** The changes of a consent by an uploaded file. */
type Attachment = {
  course: ConsentCourse;
  terms: ConsentTerms;
  use: KeyUse;
  why: Why;
};

/**
 * Attaches a stored file to its consent, moves the consent to AWAU and binds the key, or does none
 * of it and returns false: another upload was first, or the consent has ended meanwhile.
 */
export async function attachFile(
  database: Database,
  file: ComingFile,
  consent: Pick<Consent, "consentId">,
  { course, terms, use, why }: Attachment,
): Promise<boolean> {
  try {
    await database.transaction(async (on) => {
      for (const statement of [
        fileArrival(consent, course, terms, why),
        sql`update payment_file set consent_id = ${consent.consentId}
          where file_id = ${file.fileId} and ${rowFilter(sql`consent_id is null`)}
          returning file_id`,
        keyBinding(keyRow(use, consent.consentId, why.at)),
      ]) {
        if ((await on.query(statement)).length === 0) throw new TooLate();
      }
    });
    return true;
  } catch (error) {
    if (error instanceof TooLate) return false;
    throw error;
  }
}

/** Makes the statement that deletes the files of some consents, given a query of their ids. */
export const filesOfConsents = (consentIds: Sql): Sql =>
  sql`delete from payment_file where consent_id in (${consentIds})`;

/** Deletes a refused file completely. */
export async function dropFile(on: Queryable, { fileId }: ComingFile): Promise<void> {
  await on.query(sql`
    delete from payment_file where file_id = ${fileId} and ${rowFilter(sql`consent_id is null`)}`);
}

/**
 * Deletes files of interrupted uploads, a few at a time; returns their number. An upload takes
 * minutes at most. The hour is measured by the machine's clock, not the sandbox's.
 */
export async function purgeBrokenFiles(on: Queryable): Promise<number> {
  const rows = await on.query(sql`
    delete from payment_file where ctid = any(array(
      select ctid from payment_file
      where consent_id is null and begun_at <= clock_timestamp() - interval '1 hour'
      order by begun_at limit 20 for update skip locked
    )) returning file_id`);
  return rows.length;
}

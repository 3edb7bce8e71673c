import { randomUUID } from "node:crypto";
import type { PaymentInstruction } from "#src/bank/port.ts";
import { ArchivedFiles } from "#src/storage/archived-files.ts";
import type { Database } from "#src/storage/database.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { numberOf, scheme } from "#test/payments/execution/orders.ts";
import { onPostgres, startPostgres } from "#test/postgres.ts";
import { archiveFile, emptyName } from "#test/setup.ts";

/** Opens an empty database of the lane's kind with the newest schema. Close it when done. */
export const openEmpty = (): Promise<Database> =>
  onPostgres ? openServer(emptyName) : openCopy("empty");

/** Opens a database of the lane's kind without a schema. Close it when done. */
export const openWithoutSchema = (): Promise<Database> =>
  onPostgres ? openServer() : openCopy("bare");

const openCopy = (name: "bare" | "empty"): Promise<Database> =>
  openPglite({ files: new ArchivedFiles(archiveFile(name)) });

async function openServer(template?: string): Promise<Database> {
  const server = await startPostgres();
  const database = await openPostgres(
    await server.createDatabase(`bank_${randomUUID()}`, template),
  );
  return {
    ...database,
    async close() {
      await database.close();
      await server.stop();
    },
  };
}

/** A payment from `account-1` to `account-2`, unless `given` names others. */
export const instruction = (
  paymentId: string,
  amountMinor: bigint,
  given: { debtor?: number; creditor?: string; currency?: string } = {},
): PaymentInstruction => ({
  paymentId,
  debtorAccountId: `account-${given.debtor ?? 1}`,
  amount: { amountMinor, currency: given.currency ?? "GBP" },
  charge: null,
  creditor: {
    schemeName: scheme,
    identification: given.creditor ?? numberOf(2),
    name: "A creditor",
    secondaryIdentification: null,
  },
  endToEndId: `e2e-${paymentId}`,
  reference: "a reference",
  localInstrument: null,
  international: null,
});

/** Returns the balance of an account and the held part, in pence. */
export async function fundsOf(database: Database, account: number): Promise<[number, number]> {
  const [row] = await database.query<{ balance: bigint; held: bigint }>(sql`
    select balance_minor as balance, held_minor as held from ledger_account
    where account_id = ${`account-${account}`}`);
  return [Number(row?.balance), Number(row?.held)];
}

import type { Bank, ReceivedPayment } from "#src/bank/port.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

const perPage = 500;

/** Creates the bank's list of the payments that it has received. */
export const createPaymentList = (database: Database): Required<Pick<Bank, "listPayments">> => ({
  async listPayments(since, after) {
    const rows = await database.query<Row>(sql`
      select payment_id as "paymentId", debtor_account_id as "debtorAccountId",
        amount_minor as "amountMinor", currency, created_at as "receivedAt"
      from bank_payment where payment_id > ${after ?? ""} and created_at >= ${since}
      order by payment_id limit ${perPage}`);
    return rows.map(({ amountMinor, currency, ...row }) => ({
      ...row,
      amount: { amountMinor, currency },
    }));
  },
});

type Row = Omit<ReceivedPayment, "amount"> & { amountMinor: bigint; currency: string };

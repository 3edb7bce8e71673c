import { packTransactions } from "#src/account-store/feed.ts";
import {
  type Bank,
  BankError,
  type PaymentInstruction,
  type PaymentOutcome,
} from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { type Database, sqlState } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import {
  type Answers,
  answerOf,
  executionOf,
  type Hold,
  isDelivered,
  isHold,
} from "./payment-moves.ts";
import {
  type BankPayment,
  type ForExecution,
  type LedgerMove,
  type PaymentState,
  reasonOf,
  toInstruction,
} from "./payment-record.ts";
import { planReturns } from "./planned-returns.ts";
import { prepareReservations } from "./prepare-reservations.ts";
import { reason } from "./reasons.ts";

// how long the engine waits before it asks again about a payment without a response
const silenceHours = 24;

/** The columns of a payment from which the engine learns its state or its outcome. */
type Progress = Pick<
  BankPayment,
  "payment_id" | "state" | "reason_code" | "reason_text" | "answer" | "answer_at"
>;

const progress = sql`b.payment_id, b.state, b.reason_code, b.reason_text, b.answer, b.answer_at`;

const columns = sql`${progress}, b.debtor_account_id, b.amount_minor, b.charge_minor, b.currency,
  b.creditor, b.end_to_end_id, b.reference, b.local_instrument, b.international, b.transfer_minor,
  b.transfer_currency, b.deducted_minor, b.exchange_rate`;

type PaymentCalls = Pick<Bank, "reserve" | "execute" | "ask" | "release">;

/**
 * Creates the bank's calls about payments. Each call moves money in one statement, after at most
 * one statement that reads. The ledger's functions lock payments and then accounts, both in a fixed
 * order, so that batches cannot deadlock. Only reserved payments are executed.
 */
export function createPaymentCalls(
  database: Database,
  clock: Clock,
  answers: Answers,
): PaymentCalls {
  const now = () => clock.now().round({ smallestUnit: "millisecond", roundingMode: "trunc" });

  async function move(leaving: PaymentState, moves: LedgerMove[]): Promise<Progress[]> {
    if (moves.length === 0) return [];
    const bookings = moves.flatMap(({ booking }) => booking ?? []);
    return database.query<Progress>(sql`
      select ${progress} from bank_move(${leaving}, ${JSON.stringify(moves.map(toRow))}::json,
        ${JSON.stringify(bookings.flatMap(({ postings }) => postings))}::json,
        ${packTransactions(bookings.flatMap(({ entries }) => entries))}::json) b`);
  }

  return {
    reserve: (payments) =>
      asBankCall(async () => {
        const at = now();
        const given = await prepareReservations(database, payments, at, answers.provoked);
        const rows = await database.query<Progress>(sql`
          select ${progress} from bank_reserve(${JSON.stringify(given)}::json, ${at}) b`);
        return outcomes(ids(payments), rows);
      }),

    execute: (payments) =>
      asBankCall(async () => {
        const known = await loadForExecution(database, payments);
        const at = now();
        const judged = known
          .filter(({ state }) => state === "reserved")
          .map((row) => executionOf(row, answers, at));
        const held = await holdPayments(database, judged.filter(isHold));
        const moves = judged.filter((one): one is LedgerMove => !isHold(one));
        // planned first, so that no settled payment that must come back is forgotten
        await planReturns(
          database,
          moves.flatMap(({ returns }) => returns ?? []),
        );
        const moved = await move("reserved", moves);
        return outcomes(ids(payments), [...known, ...held, ...moved]);
      }),

    ask: (paymentIds) =>
      asBankCall(async () => {
        const known = await database.query<BankPayment>(sql`
          select ${columns} from bank_payment b where b.payment_id = any(${paymentIds}::text[])`);
        const at = now();
        const answered = known.filter(
          ({ state, answer_at: answerAt }) =>
            state === "pending" && answerAt !== null && Temporal.Instant.compare(answerAt, at) <= 0,
        );
        const delivered = answered.filter(isDelivered);
        const own =
          delivered.length === 0
            ? []
            : await loadForExecution(database, delivered.map(toInstruction));
        const parties = new Map(own.map((row) => [row.payment_id, row]));
        const moved = await move(
          "pending",
          answered.map((row) => answerOf(parties.get(row.payment_id) ?? row, at)),
        );
        return outcomes(paymentIds, [...known, ...moved]);
      }),

    release: (paymentIds) =>
      asBankCall(async () => {
        const unique = [...new Set(paymentIds)];
        await move(
          "reserved",
          unique.map((paymentId) => ({ paymentId, state: "released" })),
        );
      }),
  };

  /**
   * Returns the outcome of each payment from its record. If a payment has several rows, the last
   * one applies.
   */
  function outcomes(paymentIds: string[], rows: Progress[]): PaymentOutcome[] {
    const byId = new Map(rows.map((row) => [row.payment_id, row]));
    return paymentIds.map((paymentId) => outcomeOf(byId.get(paymentId), clock.now()));
  }
}

type Executed = Pick<PaymentInstruction, "paymentId" | "isStandingOrder">;

/** Stores until when payments are reviewed. */
const holdPayments = async (database: Database, held: readonly Hold[]): Promise<Progress[]> =>
  held.length === 0
    ? []
    : database.query<Progress>(sql`
        update bank_payment b set answer_at = h.until
        from unnest(${held.map(({ paymentId }) => paymentId)}::text[],
          ${held.map(({ until }) => until)}::timestamptz[]) as h(payment_id, until)
        where b.payment_id = h.payment_id and b.state = 'reserved'
        returning ${progress}`);

const ids = (payments: readonly Executed[]) => payments.map(({ paymentId }) => paymentId);

const creditorSecondary = sql`coalesce(b.creditor->>'secondaryIdentification', '')`;

/**
 * The account of this bank that the creditor's number names, by the rule of `chooseByNumber`. A
 * closed account is the payee only if no open account has its number. A join condition with `case`
 * would scan every account.
 */
const payeeBy = (column: Sql, scheme: string): Sql => sql`
  select n.account_id from (
    select a.account_id, a.status, coalesce(a.secondary_identification, '') as secondary,
      count(*) filter (where a.status <> 'Deleted') over () as open
    from account a
    where ${column} = case b.creditor->>'schemeName'
      when ${`UK.OBIE.${scheme}`} then b.creditor->>'identification' end
    order by a.status = 'Deleted',
      coalesce(a.secondary_identification, '') = ${creditorSecondary} desc, a.account_id
    limit 1) n
  where n.status = 'Deleted' or n.secondary = ${creditorSecondary}
    or (n.open = 1 and (${creditorSecondary} = '' or n.secondary = ''))`;

async function loadForExecution(
  database: Database,
  payments: readonly Executed[],
): Promise<ForExecution[]> {
  const standing = payments.filter((payment) => payment.isStandingOrder);
  return database.query<ForExecution>(sql`
    select ${columns},
      json_build_object('accountId', d.account_id, 'holderName', d.holder_name,
        'sortCodeAccountNumber', d.sort_code_account_number, 'iban', d.iban) as debtor,
      case when p.account_id is not null then
        json_build_object('accountId', p.account_id, 'holderName', p.holder_name,
          'sortCodeAccountNumber', p.sort_code_account_number, 'iban', p.iban,
          'status', p.status, 'currency', p.currency) end as payee,
      b.payment_id = any(${ids(standing)}::text[]) as "isStandingOrder"
    from bank_payment b
    join account d on d.account_id = b.debtor_account_id
    left join lateral (${payeeBy(sql`a.sort_code_account_number`, "SortCodeAccountNumber")}) s
      on true
    left join lateral (${payeeBy(sql`a.iban`, "IBAN")}) i on true
    left join account p on p.account_id = coalesce(s.account_id, i.account_id)
    where b.payment_id = any(${ids(payments)}::text[])`);
}

function outcomeOf(row: Progress | undefined, now: Temporal.Instant): PaymentOutcome {
  if (!row) return { state: "unknown" };
  switch (row.state) {
    case "reserved": {
      const until = row.answer_at;
      const isHeld = until !== null && Temporal.Instant.compare(until, now) > 0;
      return isHeld ? { state: "held", until } : { state: "reserved" };
    }
    case "refused":
    case "returned":
      return { state: row.state, reason: reasonOf(row) };
    case "released":
      return { state: "refused", reason: reason("MS03") };
    case "pending":
      return { state: "pending", askAt: row.answer_at ?? now.add({ hours: silenceHours }) };
    case "settled":
      return { state: "settled", posted: row.answer !== "acceptWithoutPosting" };
  }
}

// null members are left out, because PostgreSQL parses every member
const toRow = (move: LedgerMove): object => ({
  payment_id: move.paymentId,
  state: move.state,
  reason_code: move.reason?.code,
  reason_text: move.reason?.text,
  answer: move.answer ?? undefined,
  answer_at: move.answerAt?.toString(),
});

// serialization failure, deadlock, lock not available, too many connections, server starting or
// stopping: the statement did nothing
const retryable = new Set(["40001", "40P01", "55P03", "53300", "57P03"]);

/**
 * Runs one statement that moves money. Errors become BankErrors: `retry` if the database rolled
 * back, `unknown` if the statement may have been executed, as after a lost connection.
 */
async function asBankCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const state = sqlState(error);
    const outcome = state !== undefined && retryable.has(state) ? "retry" : "unknown";
    throw new BankError(outcome, "the ledger rejected the batch", { cause: error });
  }
}

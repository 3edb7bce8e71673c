import { packTransactions } from "#src/account-store/feed.ts";
import {
  fromInternationalRecord,
  type InternationalRecord,
} from "#src/bank/international-record.ts";
import {
  type AccountReference,
  type Bank,
  BankError,
  type PaymentInstruction,
  type PaymentOutcome,
  type Reason,
} from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { type Database, sqlState } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { isOwnIdentification } from "./account-numbers.ts";
import {
  bookInternational,
  bookInternationalReturn,
  type PricedInstruction,
} from "./international-entries.ts";
import {
  type Booking,
  bookDelivery,
  bookPayment,
  bookReturn,
  type OwnParty,
} from "./payment-entries.ts";
import { prepareReservations } from "./prepare-reservations.ts";
import { reason, reasonTexts } from "./reasons.ts";
import type { Scheme } from "./scheme.ts";

type State = "reserved" | "pending" | "settled" | "refused" | "returned" | "released";

/** The bank's record of a payment: a row of `bank_payment`. */
type BankPayment = {
  payment_id: string;
  state: State;
  reason_code: string | null;
  reason_text: string | null;
  answer: "accept" | "acceptWithoutPosting" | "refuse" | null;
  answer_at: Temporal.Instant | null;
  debtor_account_id: string;
  amount_minor: bigint;
  charge_minor: bigint;
  currency: string;
  creditor: AccountReference;
  end_to_end_id: string | null;
  reference: string | null;
  local_instrument: string | null;
  /** Null, like the columns after it, for a domestic payment in the account's currency. */
  international: InternationalRecord | null;
  /** Its value in the transfer currency; part of this may be deducted and not sent. */
  transfer_minor: bigint | null;
  transfer_currency: string | null;
  deducted_minor: bigint;
  exchange_rate: string | null;
};

/** A transition of a payment: its new record, and the booking that goes with it. */
type Move = {
  paymentId: string;
  state: State;
  reason?: Reason;
  answer?: BankPayment["answer"];
  answerAt?: Temporal.Instant | null;
  booking?: Booking;
};

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
export function createPaymentCalls(database: Database, clock: Clock, scheme: Scheme): PaymentCalls {
  const now = () => clock.now().round({ smallestUnit: "millisecond", roundingMode: "trunc" });

  async function move(leaving: State, moves: Move[]): Promise<Progress[]> {
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
        const given = await prepareReservations(database, payments, at);
        const rows = await database.query<Progress>(sql`
          select ${progress} from bank_reserve(${JSON.stringify(given)}::json, ${at}) b`);
        return outcomes(ids(payments), rows);
      }),

    execute: (payments) =>
      asBankCall(async () => {
        const known = await loadForExecution(database, payments);
        const at = now();
        const moves = known
          .filter(({ state }) => state === "reserved")
          .map((row) => executionOf(row, scheme, at));
        const moved = await move("reserved", moves);
        return outcomes(ids(payments), [...known, ...moved]);
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
        const delivered = answered.filter(isByBacs);
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

/** Whether the payment uses Bacs, which delivers at the end of a cycle, even within this bank. */
const isByBacs = (row: BankPayment): boolean => row.local_instrument === "UK.OBIE.BACS";

const ids = (payments: readonly Executed[]) => payments.map(({ paymentId }) => paymentId);

type ForExecution = BankPayment & Parties & Required<Pick<PaymentInstruction, "isStandingOrder">>;
type Parties = { debtor: OwnParty; payee: (OwnParty & Payee) | null };
type Executed = Pick<PaymentInstruction, "paymentId" | "isStandingOrder">;
type Payee = { status: "Enabled" | "Disabled" | "Deleted"; currency: string };

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

/** Decides how a reserved payment is executed now. */
function executionOf(row: ForExecution, scheme: Scheme, at: Temporal.Instant): Move {
  const { payment_id: paymentId, payee } = row;
  const refuse = (why: Reason): Move => ({ paymentId, state: "refused", reason: why });
  const arrives = row.transfer_currency ?? row.currency;
  if (payee) {
    if (payee.status === "Deleted") return refuse(reason("AC04"));
    if (payee.status === "Disabled") return refuse(reason("AC06"));
    if (payee.currency !== arrives) return refuse(reason("AM03"));
    if (payee.accountId === row.debtor_account_id) return refuse(reason("AC03"));
    const answer = isByBacs(row) ? scheme(toInstruction(row), at) : null;
    if (answer?.kind === "delay") return delayed(row, answer.duration, at);
    return { paymentId, state: "settled", booking: bookingOf(row, payee, at) };
  }
  const payment = toInstruction(row);
  if (isOwnIdentification(payment.creditor)) return refuse(reason("AC03"));
  // Faster Payments supports only sterling
  if (row.international === null && row.currency !== "GBP") return refuse(reason("AM03"));
  const answer = scheme(payment, at);
  if (answer.kind === "refuse") return refuse(answer.reason);
  const booking = bookingOf(row, null, at);
  switch (answer.kind) {
    case "accept":
    case "acceptWithoutPosting":
      return { paymentId, state: "settled", answer: answer.kind, booking };
    case "delay":
      return delayed(row, answer.duration, at);
    case "delayThenRefuse": {
      const answerAt = at.add(answer.duration);
      const { reason: why } = answer;
      return { paymentId, state: "pending", answer: "refuse", answerAt, reason: why, booking };
    }
    case "never":
      return { paymentId, state: "pending", booking };
  }
}

/** Debits the debtor now and credits the creditor after the given time. */
const delayed = (row: ForExecution, duration: Temporal.Duration, at: Temporal.Instant): Move => ({
  paymentId: row.payment_id,
  state: "pending",
  answer: "accept",
  answerAt: at.add(duration),
  booking: bookingOf(row, null, at),
});

function bookingOf(row: ForExecution, payee: OwnParty | null, at: Temporal.Instant): Booking {
  const priced = toPriced(row);
  return priced
    ? bookInternational(priced, row.debtor, payee, at)
    : bookPayment(
        { ...toInstruction(row), isStandingOrder: row.isStandingOrder },
        row.debtor,
        payee,
        at,
      );
}

/** Returns the outcome of a pending payment, given the scheme's response. */
function answerOf(row: BankPayment | ForExecution, at: Temporal.Instant): Move {
  const { payment_id: paymentId, answer, answer_at: answerAt } = row;
  if (answer === "accept" && "payee" in row && row.payee) return deliveryOf(row, row.payee, at);
  if (answer !== "refuse") return { paymentId, state: "settled", answer, answerAt };
  const why = { code: present(row.reason_code, "a reason"), text: row.reason_text ?? "" };
  const priced = toPriced(row);
  const booking = priced
    ? bookInternationalReturn(priced, why.code, at)
    : bookReturn(toInstruction(row), why.code, at);
  return { paymentId, state: "returned", answer, answerAt, reason: why, booking };
}

/** Returns the outcome of a Bacs payment within this bank on the last day of its cycle. */
function deliveryOf(row: ForExecution, payee: OwnParty & Payee, at: Temporal.Instant): Move {
  const { payment_id: paymentId, answer_at: answerAt, debtor } = row;
  const payment = toInstruction(row);
  if (payee.status === "Enabled") {
    const booking = bookDelivery(payment, debtor, payee, at);
    return { paymentId, state: "settled", answer: "accept", answerAt, booking };
  }
  const why = reason(payee.status === "Disabled" ? "AC06" : "AC04");
  const booking = bookReturn(payment, why.code, at);
  return { paymentId, state: "returned", answer: "refuse", answerAt, reason: why, booking };
}

function outcomeOf(row: Progress | undefined, now: Temporal.Instant): PaymentOutcome {
  if (!row) return { state: "unknown" };
  switch (row.state) {
    case "reserved":
      return { state: "reserved" };
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

function reasonOf({ reason_code: code, reason_text: text }: Progress): Reason {
  const known: { [code: string]: string } = reasonTexts;
  return code === null ? reason("MS03") : { code, text: text ?? known[code] ?? code };
}

const toInstruction = (row: BankPayment): PaymentInstruction => ({
  paymentId: row.payment_id,
  debtorAccountId: row.debtor_account_id,
  amount: { amountMinor: row.amount_minor, currency: row.currency },
  charge:
    row.charge_minor === 0n ? null : { amountMinor: row.charge_minor, currency: row.currency },
  creditor: row.creditor,
  endToEndId: row.end_to_end_id,
  reference: row.reference,
  localInstrument: row.local_instrument,
  international: row.international && fromInternationalRecord(row.international),
});

/** Returns an international payment with its price, or null for any other payment. */
function toPriced(row: BankPayment): PricedInstruction | null {
  const { transfer_minor: transferMinor, transfer_currency: currency } = row;
  const international = row.international && fromInternationalRecord(row.international);
  if (international === null || transferMinor === null || currency === null) return null;
  const deductedMinor = row.deducted_minor;
  const rate = row.exchange_rate;
  return {
    ...toInstruction(row),
    international,
    price: {
      credit: { amountMinor: transferMinor - deductedMinor, currency },
      deducted: deductedMinor === 0n ? null : { amountMinor: deductedMinor, currency },
      rate: rate === null ? null : { unitCurrency: row.currency, otherCurrency: currency, rate },
    },
  };
}

// null members are left out, because PostgreSQL parses every member
const toRow = (move: Move): object => ({
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

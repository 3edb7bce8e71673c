import {
  fromInternationalRecord,
  type InternationalRecord,
} from "#src/bank/international-record.ts";
import type { AccountReference, PaymentInstruction } from "#src/bank/port.ts";
import {
  type OrderFamily,
  type PaymentStatus,
  paymentFamily,
} from "#src/payments/order/order-states.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { stepOf, type Work } from "./steps.ts";

type Row = {
  orderId: string;
  sequence: number;
  kind: KindId;
  family: OrderFamily;
  status: PaymentStatus;
  attempt: number;
  failures: number;
  callLimit: number | null;
  dueAt: Temporal.Instant;
  executeAt: Temporal.Instant | null;
  inDoubt: boolean;
  schedule: ScheduleRecord | null;
} & InstructionRow;

/** A payment's instruction as it is stored. */
export type InstructionRow = {
  paymentId: string;
  debtorAccountId: string;
  amountMinor: bigint;
  chargeMinor: bigint;
  currency: string;
  creditor: Partial<AccountReference> & { schemeName: string; identification: string };
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  international: InternationalRecord | null;
  scheduledOn: Temporal.PlainDate | null;
};

/** The owner, number and duration of a lease; `now` is the bank's time. */
export type Claim = {
  owner: string;
  now: Temporal.Instant;
  limit: number;
  leaseSeconds: number;
};

/**
 * Leases the payments that are due, earliest first, and those of a file in its order. The bank's
 * clock decides what is due. The database's clock decides how long a lease lasts, because a
 * process's death is unrelated to a date that a sandbox sets. An expired lease leaves the outcome
 * of its step in doubt: the bank is asked about such a payment first.
 */
export async function claimDuePayments(on: Queryable, claim: Claim): Promise<Work[]> {
  const rows = await on.query<Row>(sql`
    with due as materialized (
      select payment_id, order_id, lease_owner is not null as in_doubt from payment
      where due_at <= ${claim.now} and (lease_until is null or lease_until <= clock_timestamp())
      order by due_at, sequence limit ${claim.limit}
      for update skip locked
    )
    update payment p set attempt = p.attempt + 1, lease_owner = ${claim.owner},
      lease_until = clock_timestamp() + make_interval(secs => ${claim.leaseSeconds}::float8)
    from due join payment_order o on o.order_id = due.order_id
    where p.payment_id = due.payment_id
    returning p.payment_id as "paymentId", p.order_id as "orderId", p.sequence, o.kind, o.family,
      p.status, p.attempt, p.failures, p.call_limit as "callLimit", p.due_at as "dueAt",
      p.execute_at as "executeAt", due.in_doubt as "inDoubt",
      ${instructionColumns}, o.terms->'schedule' as schedule`);
  rows.sort((a, b) => Temporal.Instant.compare(a.dueAt, b.dueAt) || a.sequence - b.sequence);
  return rows.map((row) => toWork(row, claim.now));
}

/** The columns of a payment `p` from which `instructionOf` makes its instruction. */
export const instructionColumns = sql`p.debtor_account_id as "debtorAccountId",
  p.amount_minor as "amountMinor", p.charge_minor as "chargeMinor", p.currency, p.creditor,
  p.end_to_end_id as "endToEndId", p.reference, p.local_instrument as "localInstrument",
  p.international, p.scheduled_on as "scheduledOn"`;

/** Returns a payment as the bank is told to make it. */
export function instructionOf(row: InstructionRow): PaymentInstruction {
  const { schemeName, identification, name, secondaryIdentification } = row.creditor;
  return {
    paymentId: row.paymentId,
    debtorAccountId: row.debtorAccountId,
    amount: { amountMinor: row.amountMinor, currency: row.currency },
    charge:
      row.chargeMinor === 0n ? null : { amountMinor: row.chargeMinor, currency: row.currency },
    creditor: {
      schemeName,
      identification,
      name: name ?? null,
      secondaryIdentification: secondaryIdentification ?? null,
    },
    endToEndId: row.endToEndId,
    reference: row.reference,
    localInstrument: row.localInstrument,
    international: row.international && fromInternationalRecord(row.international),
    isStandingOrder: row.scheduledOn !== null,
  };
}

function toWork(row: Row, now: Temporal.Instant): Work {
  return {
    instruction: instructionOf(row),
    kind: row.kind,
    orderId: row.orderId,
    sequence: row.sequence,
    orderFamily: row.family,
    family: paymentFamily(row.family),
    status: row.status,
    attempt: row.attempt,
    failures: row.failures,
    callLimit: row.callLimit,
    dueAt: row.dueAt,
    executeAt: row.executeAt,
    occurrence: row.schedule &&
      row.scheduledOn && { schedule: row.schedule, date: row.scheduledOn },
    step: row.inDoubt
      ? "ask"
      : stepOf(row.status, row.executeAt, now, row.international?.fundsAtOnce ?? false),
  };
}

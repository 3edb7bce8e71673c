import type { PaymentInstruction } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { createPaymentCalls } from "./payments.ts";
import { reason, type SandboxReasonCode } from "./reasons.ts";
import { acceptingScheme } from "./scheme.ts";

// What a tester makes of a payment that the bank has begun: the engine learns it when it calls the
// bank next.

/**
 * Ends the wait of payments: a review ends, and a scheme answers what it was to answer, or accepts.
 */
export const answerNow = async (
  on: Queryable,
  paymentIds: readonly string[],
  at: Temporal.Instant,
): Promise<void> => {
  await on.query(sql`
    update bank_payment set answer_at = ${at},
      answer = case when state = 'pending' then coalesce(answer, 'accept') else answer end
    where payment_id = any(${paymentIds}::text[]) and state in ('reserved', 'pending')`);
};

/**
 * Refuses payments: those that are unknown or reserved before money moves, and pending ones, whose
 * debtor then gets the money back.
 */
export async function refuseNow(
  { database, clock }: { database: Database; clock: Clock },
  payments: PaymentInstruction[],
  code: SandboxReasonCode,
): Promise<void> {
  const refused = () => ({ kind: "refuseByBank", reason: reason(code) }) as const;
  const calls = createPaymentCalls(database, clock, { scheme: acceptingScheme, provoked: refused });
  await calls.reserve(payments);
  const ids = payments.map(({ paymentId }) => paymentId);
  await database.query(sql`
    update bank_payment set answer = 'refuse', answer_at = ${clock.now()}, reason_code = ${code},
      reason_text = null
    where payment_id = any(${ids}::text[]) and state in ('reserved', 'pending')`);
}

/** Delays a review, or the scheme's answer. Returns the new times of the payments that have one. */
export const delayAnswers = (
  on: Queryable,
  paymentIds: readonly string[],
  delay: Temporal.Duration,
): Promise<{ paymentId: string; at: Temporal.Instant }[]> =>
  on.query(sql`
    update bank_payment set
      answer_at = answer_at + make_interval(secs => ${delay.total("seconds")}::float8)
    where payment_id = any(${paymentIds}::text[]) and state in ('reserved', 'pending')
      and answer_at is not null
    returning payment_id as "paymentId", answer_at as at`);

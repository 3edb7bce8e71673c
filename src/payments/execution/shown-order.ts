import { consentFacts } from "#src/consents/consent-facts.ts";
import type { FileRecord } from "#src/consents/terms.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * An order that awaits signatures or is in the future, for its customer, with one of its payments.
 */
export type ShownOrder = {
  orderId: string;
  debtorAccountId: string;
  amountMinor: bigint;
  currency: string;
  creditorName: string | null;
  creditorIdentification: string;
  reference: string | null;
  /** The schedule of a standing order; null for other kinds. */
  schedule: ScheduleRecord | null;
  /** The facts of a file, of which the first payment is shown; null for other kinds. */
  file: FileRecord | null;
};

/** The columns of a ShownOrder, of `shownOrders`. */
export const shownColumns = sql`
  o.order_id as "orderId", o.debtor_account_id as "debtorAccountId",
  p.amount_minor as "amountMinor", p.currency, p.creditor->>'name' as "creditorName",
  p.creditor->>'identification' as "creditorIdentification", p.reference,
  o.terms->'schedule' as schedule, c.terms->'file' as file`;

/** Every order, each payment with its order and consent. */
export const shownOrders = sql`payment_order o
  join ${consentFacts} c on c.consent_id = o.consent_id
  join payment p on p.order_id = o.order_id`;

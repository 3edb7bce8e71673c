import {
  fromInternationalRecord,
  type InternationalRecord,
} from "#src/bank/international-record.ts";
import type { AccountReference } from "#src/bank/port.ts";
import { consentFacts } from "#src/consents/consent-facts.ts";
import { type FileRecord, type FileTerms, fromFileRecord } from "#src/consents/terms.ts";
import type { Schedule } from "#src/payments/schedule/schedule.ts";
import { fromScheduleRecord, type ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { PaymentDraft } from "./payment-order.ts";

/** An order that awaits signatures or its day, for its customer, with one of its payments. */
export type PlacedOrder = {
  orderId: string;
  /** Who submitted it: a TPP, or the bank's own channel. */
  clientId: string;
  kind: PaymentKindId;
  debtorAccountId: string;
  payment: PaymentDraft;
  /** The schedule of a standing order; null for other kinds. */
  schedule: Schedule | null;
  /** The facts of a file, of which the first payment is given; null for other kinds. */
  file: FileTerms | null;
};

/** A row of `placedColumns`. */
export type PlacedRow = Pick<PlacedOrder, "orderId" | "clientId" | "kind" | "debtorAccountId"> &
  Pick<
    PaymentDraft,
    "chargeMinor" | "executeAt" | "endToEndId" | "reference" | "localInstrument"
  > & {
    amountMinor: bigint;
    currency: string;
    creditor: Pick<AccountReference, "schemeName" | "identification"> & Partial<AccountReference>;
    international: InternationalRecord | null;
    schedule: ScheduleRecord | null;
    file: FileRecord | null;
  };

/** The columns of such an order, of `placedOrders`. */
export const placedColumns = sql`
  o.order_id as "orderId", o.client_id as "clientId", o.kind,
  o.debtor_account_id as "debtorAccountId",
  p.amount_minor as "amountMinor", p.charge_minor as "chargeMinor", p.currency, p.creditor,
  p.end_to_end_id as "endToEndId", p.reference, p.local_instrument as "localInstrument",
  p.execute_at as "executeAt", p.international, o.terms->'schedule' as schedule,
  c.terms->'file' as file`;

/** Every order, each payment with its order and consent. */
export const placedOrders = sql`payment_order o
  join ${consentFacts} c on c.consent_id = o.consent_id
  join payment p on p.order_id = o.order_id`;

/** Reads an order from its row. */
export const placedOrderOf = ({
  orderId,
  clientId,
  kind,
  debtorAccountId,
  amountMinor,
  currency,
  creditor,
  international,
  schedule,
  file,
  chargeMinor,
  executeAt,
  endToEndId,
  reference,
  localInstrument,
}: PlacedRow): PlacedOrder => ({
  orderId,
  clientId,
  kind,
  debtorAccountId,
  payment: {
    amount: { amountMinor, currency },
    chargeMinor,
    executeAt,
    endToEndId,
    reference,
    localInstrument,
    creditor: { name: null, secondaryIdentification: null, ...creditor },
    ...(international ? { international: fromInternationalRecord(international) } : {}),
  },
  schedule: schedule && fromScheduleRecord(schedule),
  file: file && fromFileRecord(file),
});

/** Loads an order with its first payment; undefined if no order has this id. */
export async function loadPlacedOrder(
  on: Queryable,
  orderId: string,
): Promise<PlacedOrder | undefined> {
  const row = await first<PlacedRow>(
    on,
    sql`select ${placedColumns} from ${placedOrders}
      where o.order_id = ${orderId} and p.sequence = 1`,
  );
  return row && placedOrderOf(row);
}

import { type Consent, consumption } from "#src/consents/consent.ts";
import { orderFamily } from "#src/payments/order-states.ts";
import type { PaymentDraft } from "#src/payments/payment-kind.ts";
import type { PaymentOrder } from "#src/payments/payment-order.ts";
import { type Queryable, sqlState } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { type KeyUse, keyBinding } from "./idempotency-key.ts";

/** A payment of a new order. */
export type NewPayment = PaymentDraft & {
  paymentId: string;
  /** When the engine looks at it; null while signatures are missing. */
  dueAt: Temporal.Instant | null;
};

const notNullViolation = "23502";

/**
 * Consumes the consent, binds the key and creates the order with its payments, or does none of it:
 * false when another request was first with the consent or with the key. `payments` is a query with
 * the columns of `paymentRows`; its status is null for the order's. Source: P-055, P-056.
 */
export async function createOrder(
  on: Queryable,
  consent: Pick<Consent, "consentId" | "kind">,
  order: PaymentOrder,
  payments: Sql,
  use: KeyUse,
): Promise<boolean> {
  const now = order.createdAt;
  // an order without id is refused by the table, and with it the whole statement: that is what
  // takes the consumption back when the key turns out to be another request's
  const statement = sql`
    with consumed as (${consumption(consent, now)}),
    bound as (${keyBinding(use, order.orderId, now, sql`consumed`)}),
    ordered as (
      insert into payment_order (order_id, consent_id, kind, client_id, customer_id,
        debtor_account_id, status, status_reason, created_at, status_updated_at, terms,
        signatories_required, signatories_received, authorisation_status,
        authorisation_updated_at, authorisation_expires_at, signed_by)
      select (select resource_id from bound), consent_id, ${order.kind}::text,
        ${order.clientId}::text, ${order.customerId}::text, ${order.debtorAccountId}::text,
        ${order.status}::text, ${JSON.stringify(order.statusReason)}::json, ${now}::timestamptz,
        ${now}::timestamptz, ${JSON.stringify(order.terms)}::json,
        ${order.signatoriesRequired}::integer, ${order.signatoriesReceived}::integer,
        ${order.authorisationStatus}::text, ${order.authorisationUpdatedAt}::timestamptz,
        ${order.authorisationExpiresAt}::timestamptz, ${order.signedBy}::text[]
      from consumed
      returning order_id
    ), placed as (
      insert into payment (payment_id, order_id, sequence, status, created_at, status_updated_at,
        debtor_account_id, amount_minor, charge_minor, currency, creditor, end_to_end_id,
        reference, local_instrument, execute_at, due_at, scheduled_on, is_last, international,
        of_file)
      select p.payment_id, o.order_id, p.sequence, coalesce(p.status, ${order.status}::text),
        ${now}::timestamptz, ${now}::timestamptz, ${order.debtorAccountId}::text, p.amount_minor,
        p.charge_minor, p.currency, p.creditor, p.end_to_end_id, p.reference, p.local_instrument,
        p.execute_at, p.due_at, p.scheduled_on, p.is_last, p.international,
        ${orderFamily(order.kind) === "file"}::boolean
      from ordered o, (${payments}) p
    )
    select order_id from ordered`;
  try {
    return (await on.query(statement)).length === 1;
  } catch (error) {
    if (sqlState(error) === notNullViolation) return false;
    throw error;
  }
}

/** Payments as rows of a query: for `createOrder`. */
export const paymentRows = (payments: readonly NewPayment[]): Sql => sql`
  select payment_id, sequence, null::text as status, amount_minor, charge_minor, currency,
    creditor, end_to_end_id, reference, local_instrument, execute_at, due_at, scheduled_on,
    is_last, international
  from json_to_recordset(${JSON.stringify(payments.map(toRecord))}::json) as p(
    payment_id text, sequence integer, amount_minor bigint, charge_minor bigint, currency text,
    creditor json, end_to_end_id text, reference text, local_instrument text,
    execute_at timestamptz, due_at timestamptz, scheduled_on date, is_last boolean,
    international json)`;

const toRecord = (payment: NewPayment, index: number): object => ({
  payment_id: payment.paymentId,
  sequence: index + 1,
  amount_minor: payment.amount.amountMinor.toString(),
  charge_minor: payment.chargeMinor.toString(),
  currency: payment.amount.currency,
  creditor: payment.creditor,
  end_to_end_id: payment.endToEndId,
  reference: payment.reference,
  local_instrument: payment.localInstrument,
  execute_at: payment.executeAt?.toString() ?? null,
  due_at: payment.dueAt?.toString() ?? null,
  scheduled_on: payment.occurrence?.date.toString() ?? null,
  is_last: payment.occurrence?.isLast ?? null,
  international: payment.international ?? null,
});

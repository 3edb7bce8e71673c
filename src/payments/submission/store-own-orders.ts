import {
  storeUsedConsents,
  type UsedConsent,
  type UsedConsents,
} from "#src/consents/store-used-consents.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** An order that a customer set up with the bank itself, with the consent that it has used. */
export type OwnOrder = UsedConsent & {
  order_id: string;
  terms: object;
  /** Null if one signature is enough. */
  signatories: number | null;
  signed_by: readonly string[];
};

/** The common facts of orders that are stored together. */
export type OwnOrders = UsedConsents & {
  kind: Pick<PaymentKind, "id" | "family">;
  status: string;
};

/** A payment of such an order, as a row of `payment`; a column that is left out is null. */
type OwnPayment = {
  payment_id: string;
  order_id: string;
  sequence: number;
  status: string;
  /** RFC 3339, as all times are. */
  created_at: string;
  status_updated_at: string;
  debtor_account_id: string;
  amount_minor: string;
  charge_minor: string;
  currency: string;
  creditor: object;
  [column: string]: unknown;
};

/** Stores orders of one kind and status with their consents. `storeOwnPayments` adds payments. */
export async function storeOwnOrders(
  on: Queryable,
  { kind, status, clientId, apiVersion }: OwnOrders,
  orders: readonly OwnOrder[],
): Promise<void> {
  await storeUsedConsents(on, { kind, apiVersion, clientId }, orders);
  await on.query(sql`
    insert into payment_order (order_id, consent_id, kind, family, api_version, client_id,
      customer_id, debtor_account_id, status, created_at, status_updated_at, terms,
      signatories_required, signatories_received, authorisation_status, authorisation_updated_at,
      signed_by)
    select order_id, consent_id, ${kind.id}, ${kind.family}, ${apiVersion}, ${clientId},
      customer_id, debtor_account_id, ${status}, created_at, created_at, terms, signatories,
      signatories,
      case when signatories > 1 then 'AUTH' end, case when signatories > 1 then created_at end,
      signed_by
    from json_to_recordset(${JSON.stringify(orders)}::json) as r(order_id text, consent_id text,
      created_at timestamptz, customer_id text, debtor_account_id text, terms json,
      signatories integer, signed_by text[])`);
}

/** Stores the payments of such orders: made ones, and the next one that the engine will make. */
export async function storeOwnPayments(
  on: Queryable,
  payments: readonly OwnPayment[],
): Promise<void> {
  await on.query(sql`
    insert into payment (payment_id, order_id, sequence, status, created_at, status_updated_at,
      debtor_account_id, amount_minor, charge_minor, currency, creditor, end_to_end_id, reference,
      local_instrument, execute_at, due_at, scheduled_on, is_last, international)
    select payment_id, order_id, sequence, status, created_at, status_updated_at,
      debtor_account_id, amount_minor, charge_minor, currency, creditor, end_to_end_id, reference,
      local_instrument, execute_at, due_at, scheduled_on, is_last, international
    from json_populate_recordset(null::payment, ${JSON.stringify(payments)}::json)`);
}

import type { Queryable } from "#src/storage/database.ts";
import {
  type CustomerIds,
  isOneOf,
  ofConsent,
  type PersonalTable,
  personalTable,
  whyStays,
} from "#src/storage/personal-table.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

const ofOrder = ({ orderIds }: CustomerIds): Sql => isOneOf(sql`t.order_id`, orderIds);
const ofFile = (ids: CustomerIds): Sql => sql`t.file_id in (
  select f.file_id from payment_file f where ${isOneOf(sql`f.consent_id`, ids.consentIds)})`;

/** The tables of orders and their payments, as far as they are about a customer. */
export const orderDataTables: readonly PersonalTable[] = [
  {
    table: "payment_order",
    stays: whyStays.order,
    // who else signed, and what they were shown, is about them; so is, in an order of another
    // customer, who gave it from which device
    rowsAbout: (ids) => sql`
      select (case when t.customer_id = ${ids.customerId} then to_jsonb(t)
          else (to_jsonb(t) - 'customer_id') #- '{terms,device}' end
        || jsonb_build_object(
          'signed_by', array(select s from unnest(t.signed_by) s where s = ${ids.customerId}),
          'signatures', (select jsonb_agg(s) from json_array_elements(t.signatures) s
            where s->>'customerId' = ${ids.customerId})))::text as row
      from payment_order t where ${ofOrder(ids)}`,
  },
  personalTable("payment", whyStays.order, ofOrder),
  personalTable("payment_file", whyStays.order, ofConsent),
  personalTable("payment_file_batch", whyStays.order, ofFile),
  personalTable("payment_file_chunk", whyStays.order, ofFile),
  personalTable("limit_use", whyStays.order, ofConsent),
  personalTable("idempotency_key", whyStays.brief, ({ consentIds, orderIds }) =>
    isOneOf(sql`t.resource_id`, [...consentIds, ...orderIds]),
  ),
  personalTable(
    "payment_failure",
    whyStays.brief,
    (ids) => sql`t.payment_id in (
      select p.payment_id from payment p where ${isOneOf(sql`p.order_id`, ids.orderIds)})`,
  ),
];

/** Finds the orders of these consents, and those that the customer has signed: reads all orders. */
export async function findCustomerOrders(
  on: Queryable,
  customerId: string,
  consentIds: readonly string[],
): Promise<string[]> {
  const rows = await on.query<{ orderId: string }>(sql`
    select order_id as "orderId" from payment_order
    where ${isOneOf(sql`consent_id`, consentIds)} or ${customerId} = any(signed_by)
    order by created_at, order_id`);
  return rows.map(({ orderId }) => orderId);
}

/**
 * Lists the orders that an erasure of a customer waits for: those of the customer's consents that
 * still have payments to be made or await signatures, and others that await the customer's.
 */
export async function listUnfinishedOrders(
  on: Queryable,
  ids: Pick<CustomerIds, "customerId" | "consentIds" | "accountIds">,
): Promise<string[]> {
  const rows = await on.query<{ orderId: string }>(sql`
    select o.order_id as "orderId" from payment_order o
    where ${isOneOf(sql`o.consent_id`, ids.consentIds)} and (o.authorisation_status = 'AWAF'
        or exists (select from payment p where p.order_id = o.order_id and p.due_at is not null))
      or ${isOneOf(sql`o.debtor_account_id`, ids.accountIds)} and o.authorisation_status = 'AWAF'
        and not ${ids.customerId} = any(o.signed_by)
    order by o.created_at, o.order_id`);
  return rows.map(({ orderId }) => orderId);
}

import { toInternationalRecord } from "#src/bank/international-record.ts";
import { type Consent, consumption, consumptionHistory } from "#src/consents/consent.ts";
import { type ConsentCourse, isUsedUpByOrder, usedOnce } from "#src/consents/states.ts";
import { recording } from "#src/history/change.ts";
import { assert, present } from "#src/lib/assert.ts";
import { batched } from "#src/lib/batched.ts";
import { type KeyUse, keyBinding } from "#src/payments/request/idempotency-key.ts";
import { type Database, type Queryable, sqlState } from "#src/storage/database.ts";
import { integer, prepare } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { storedWith } from "./order-states.ts";
import { type OrderUse, storedUse } from "./order-use.ts";
import type { PaymentDraft, PaymentOrder } from "./payment-order.ts";

/** A payment of a new order. */
export type NewPayment = PaymentDraft & {
  paymentId: string;
  /** When the payment is due for the engine; null while signatures are missing. */
  dueAt: Temporal.Instant | null;
};

/** An order that is to be created. */
export type NewOrder = {
  consent: Pick<Consent, "consentId">;
  /** The life cycle of its consent, from the kind's row. */
  course: ConsentCourse;
  order: PaymentOrder;
  /** Empty if a query supplies the payments. */
  payments: readonly NewPayment[];
  use: KeyUse;
  /** The interaction id of the request that submits it. */
  interactionId: string;
};

/**
 * Whether a statement failed because another request was first: it has bound the idempotency key
 * (the order then has no id, 23502), or has created an order whose id follows from the same request
 * (23505).
 */
export const wasTooLate = (error: unknown): boolean =>
  ["23502", "23505"].includes(sqlState(error) ?? "");

/** How many orders share a statement, and how many statements run at a time. */
const batchLimits = { asks: 16, batches: 2 };

/** Whether an order was created; if not, the positions of the limits that it would exceed. */
export type Taking = { isCreated: boolean; exceeded: readonly number[] };

/**
 * A way to create orders whose consents have the same course: makes the function that creates a
 * batch of them in one statement.
 */
export type Creation<Order extends NewOrder> = (
  course: ConsentCourse,
) => (on: Queryable, orders: readonly Order[]) => Promise<Taking[]>;

/** Creates an order in one of these ways. */
export type CreateOrder = <Order extends NewOrder>(
  creation: Creation<Order>,
  order: Order,
) => Promise<Taking>;

/**
 * Makes the function that creates the orders of a bank. Concurrent orders share a statement and a
 * commit if they are created in the same way and their consents have the same course.
 */
export function orderCreation(database: Database): CreateOrder {
  const known = new Map<object, Map<ConsentCourse, (order: never) => Promise<Taking>>>();
  return <Order extends NewOrder>(creation: Creation<Order>, order: Order) => {
    const ofCourse = known.get(creation) ?? new Map();
    known.set(creation, ofCourse);
    const createBatch = (): ((order: Order) => Promise<Taking>) => {
      const run = creation(order.course);
      return batched(batchLimits, (orders) => run(database, orders));
    };
    const create = ofCourse.get(order.course) ?? createBatch();
    ofCourse.set(order.course, create);
    return create(order);
  };
}

/**
 * Uses the consents up, binds the keys and creates the orders with their payments. An order is not
 * created if another request used the consent first. If another request has bound the key of an
 * order, all orders of the call are undone: with an error, or without if there is only one order.
 * Source: P-055, P-056.
 */
export const onceEach: Creation<NewOrder> = (course) => {
  const statement = prepare(({ records, payments }: Drafts) =>
    creation(records, draftedPayments(payments), once(course)),
  );
  return (on, orders) => runCreation(on, orders, statement(drafts(orders)));
};

/**
 * Creates an order like `onceEach`, with the payments of a query with the columns of
 * `draftedPayments`. In that query `g` is the order's row, and a status of null means the order's
 * status.
 */
export async function createFrom(on: Queryable, order: NewOrder, payments: Sql): Promise<Taking> {
  const records = JSON.stringify([orderRecord(order)]);
  const statement = creation(records, payments, once(order.course));
  const [taking] = await runCreation(on, [order], statement);
  return present(taking, "the order of the statement");
}

async function runCreation(
  on: Queryable,
  orders: readonly NewOrder[],
  statement: Sql,
): Promise<Taking[]> {
  assert(orders.length <= batchLimits.asks, "a statement creates a batch of orders");
  const { course } = present(orders[0], "an order");
  assert(
    orders.every((order) => order.course === course && isUsedUpByOrder(course)),
    "each order has its own consent, all of one course",
  );
  try {
    const created = await on.query<{ orderId: string }>(statement);
    return orders.map(({ order: { orderId } }) => ({
      isCreated: created.some((row) => row.orderId === orderId),
      exceeded: [],
    }));
  } catch (error) {
    if (orders.length === 1 && wasTooLate(error)) return [{ isCreated: false, exceeded: [] }];
    throw error;
  }
}

/** The parts of a statement that creates orders which depend on how they use their consents. */
type ConsentUsage = {
  /** How each order uses its consent. */
  use: OrderUse;
  /** The named query `consumed`: each row of `given` whose order can be created. */
  consumed: Sql;
  /** A query of the changes of consents, for their history; null if orders change no consent. */
  changes: Sql | null;
  /** The query that answers. */
  result: Sql;
};

const once = (course: ConsentCourse): ConsentUsage => ({
  use: usedOnce.use,
  consumed: sql`consumed as (${consumption(sql`given`, course)})`,
  changes: consumptionHistory(sql`consumed`),
  result: sql`select order_id as "orderId" from consumed`,
});

/**
 * The statement that creates orders with their payments. The table refuses an order without an id,
 * and with it the whole statement. This undoes the use of the consent if the key belongs to another
 * request. The limit tells the planner how few orders there are, so that it finds rows by their
 * keys, however large the tables are. `consumed` has all that the other parts need: joining them
 * with one another would cost more than what they store.
 */
export const creation = (orders: string, payments: Sql, usage: ConsentUsage): Sql => sql`
  with given as (
    select g.* from json_to_recordset(${orders}::json) as g(
      order_id text, consent_id text, kind text, family text, api_version text, amount_minor bigint,
      currency text, client_id text, customer_id text, debtor_account_id text, status text,
      status_reason json, created_at timestamptz, terms json, signatories_required integer,
      signatories_received integer, authorisation_status text,
      authorisation_updated_at timestamptz, authorisation_expires_at timestamptz,
      signed_by text[], operation text, key text, fingerprint text, interaction_id text,
      is_marked boolean)
    limit ${integer(batchLimits.asks)}
  ), ${usage.consumed},
  bound as (${keyBinding(sql`(select g.*, g.order_id as resource_id from consumed g) used`)}),
  ordered as (
    insert into payment_order (order_id, consent_id, consent_use, kind, family, api_version,
      client_id, customer_id, debtor_account_id, status, status_reason, created_at,
      status_updated_at, amount_minor, currency, terms, signatories_required, signatories_received,
      authorisation_status, authorisation_updated_at, authorisation_expires_at, signed_by,
      changed_by, interaction_id, file_in_work_since)
    select b.resource_id, g.consent_id, ${storedUse(usage.use)}, g.kind, g.family, g.api_version,
      g.client_id, g.customer_id, g.debtor_account_id, g.status, g.status_reason, g.created_at,
      g.created_at, g.amount_minor, g.currency, g.terms, g.signatories_required,
      g.signatories_received, g.authorisation_status, g.authorisation_updated_at,
      g.authorisation_expires_at, coalesce(g.signed_by, '{}'), null, g.interaction_id,
      case when g.is_marked then g.created_at end
    from consumed g left join bound b on b.resource_id = g.order_id
  ), history as (${recording(sql`
    ${usage.changes === null ? sql`` : sql`${usage.changes} union all`}
    select 'order', order_id,
      order_history(status, status_reason::text, authorisation_status, signatories_received),
      'tpp', interaction_id, api_version, created_at
    from consumed`)}
  ), placed as (
    insert into payment (payment_id, order_id, sequence, status, status_reason_code,
      status_reason_text, created_at, status_updated_at, debtor_account_id, amount_minor,
      charge_minor, currency, creditor, end_to_end_id, reference, local_instrument, execute_at,
      due_at, scheduled_on, is_last, international, in_work_of_file)
    select p.payment_id, g.order_id, p.sequence, coalesce(p.status, g.status),
      case when g.status = 'RJCT' then g.status_reason->0->>'code' end,
      case when g.status = 'RJCT' then g.status_reason->0->>'text' end,
      g.created_at, g.created_at, g.debtor_account_id, p.amount_minor, p.charge_minor, p.currency,
      p.creditor, p.end_to_end_id, p.reference, p.local_instrument, p.execute_at, p.due_at,
      p.scheduled_on, p.is_last, p.international, case when g.is_marked then g.order_id end
    from consumed g cross join lateral (${payments}) p
  )
  ${usage.result}`;

/** The parameters of a statement that creates orders: JSON of their rows and of their payments. */
export type Drafts = { records: string; payments: string };

/** Makes the parameters of a statement that creates these orders. */
export const drafts = (orders: readonly NewOrder[]): Drafts => ({
  records: JSON.stringify(orders.map(orderRecord)),
  payments: JSON.stringify(
    orders.flatMap(({ order: { orderId }, payments }) =>
      payments.map((payment, index) => ({
        order_id: orderId,
        ...paymentRecord(payment, index),
      })),
    ),
  ),
});

/** The payments of `drafts` as a query for `creation`. */
export const draftedPayments = (payments: string): Sql => sql`
  select payment_id, sequence, null::text as status, amount_minor, charge_minor, currency,
    creditor, end_to_end_id, reference, local_instrument, execute_at, due_at, scheduled_on,
    is_last, international
  from json_to_recordset(${payments}::json) as p(
    order_id text, payment_id text, sequence integer, amount_minor bigint, charge_minor bigint,
    currency text, creditor json, end_to_end_id text, reference text, local_instrument text,
    execute_at timestamptz, due_at timestamptz, scheduled_on date, is_last boolean,
    international json)
  where p.order_id = g.order_id`;

/**
 * A payment in the form that `draftedPayments` reads. Null and empty members are left out, here
 * and in the order's record, because the server reads every member.
 */
export const paymentRecord = (payment: NewPayment, index: number) => ({
  payment_id: payment.paymentId,
  sequence: index + 1,
  amount_minor: payment.amount.amountMinor.toString(),
  charge_minor: payment.chargeMinor.toString(),
  currency: payment.amount.currency,
  creditor: payment.creditor,
  end_to_end_id: payment.endToEndId ?? undefined,
  reference: payment.reference ?? undefined,
  local_instrument: payment.localInstrument ?? undefined,
  execute_at: payment.executeAt?.toString(),
  due_at: payment.dueAt?.toString(),
  scheduled_on: payment.occurrence?.date.toString(),
  is_last: payment.occurrence?.isLast,
  international: payment.international && toInternationalRecord(payment.international),
});

/** The amount of an order with a single payment. */
function amountOf({ family }: PaymentOrder, [payment]: readonly NewPayment[]): object {
  if (!payment || !storedWith[family].hasAmount) return {};
  const { amountMinor, currency } = payment.amount;
  return { amount_minor: amountMinor.toString(), currency };
}

/** An order in the form that the statement reads. */
const orderRecord = ({ consent, order, payments, use, interactionId }: NewOrder): object => ({
  order_id: order.orderId,
  consent_id: consent.consentId,
  kind: order.kind,
  api_version: order.apiVersion,
  ...amountOf(order, payments),
  client_id: order.clientId,
  customer_id: order.customerId,
  debtor_account_id: order.debtorAccountId,
  status: order.status,
  status_reason: order.statusReason,
  created_at: order.createdAt.toString(),
  terms: order.terms,
  signatories_required: order.signatoriesRequired ?? undefined,
  signatories_received: order.signatoriesReceived ?? undefined,
  authorisation_status: order.authorisationStatus ?? undefined,
  authorisation_updated_at: order.authorisationUpdatedAt?.toString(),
  authorisation_expires_at: order.authorisationExpiresAt?.toString(),
  signed_by: order.signedBy.length > 0 ? order.signedBy : undefined,
  family: order.family,
  is_marked: (storedWith[order.family].isMarked && order.status !== "RJCT") || undefined,
  operation: use.operation,
  key: use.key,
  fingerprint: use.fingerprint,
  interaction_id: interactionId,
});

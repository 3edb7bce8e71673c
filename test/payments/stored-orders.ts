import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** Returns how many orders of a consent are stored. */
export const countOrders = async (on: Queryable, consentId: string): Promise<number> =>
  (await on.query(sql`select 1 from payment_order where consent_id = ${consentId}`)).length;

/** Returns how many of these orders have a status. */
export const countInStatus = async (
  on: Queryable,
  orderIds: readonly string[],
  status: string,
): Promise<number> =>
  (
    await on.query(sql`
      select 1 from payment_order
      where order_id = any(${orderIds}::text[]) and status = ${status}`)
  ).length;

/** Returns the stored instructions of all files as text. */
export const storedInstructions = async (on: Queryable): Promise<string> => {
  const rows = await on.query<{ text: string }>(
    sql`select instructions::text as text from payment_file_batch`,
  );
  return rows.map(({ text }) => text).join("\n");
};

/** Returns how many seconds the lease of an order's payment lasts; null if it is not leased. */
export async function leaseSeconds(on: Queryable, orderId: string): Promise<number | null> {
  const row = await first<{ seconds: number | null }>(
    on,
    sql`select extract(epoch from lease_until - clock_timestamp())::float8 as seconds
      from payment where order_id = ${orderId}`,
  );
  return row?.seconds ?? null;
}

/** Leases the payments of an order to an engine; null ends the lease. */
export const lease = async (on: Queryable, orderId: string, owner: string | null): Promise<void> =>
  void (await on.query(sql`
    update payment set lease_owner = ${owner}, lease_until = case
      when ${owner}::text is not null then clock_timestamp() + interval '1 minute' end
    where order_id = ${orderId}`));

/** Ends all leases, as time does. */
export const endLeases = async (on: Queryable): Promise<void> =>
  void (await on.query(sql`
    update payment set lease_until = clock_timestamp() where lease_until > clock_timestamp()`));

/** An order with a payment, as the database has them. */
export type OrderWithPayment = {
  orderId: string;
  consentId: string;
  status: string;
  paymentId: string | null;
  paymentStatus: string | null;
  amountMinor: bigint | null;
  /** The process that makes the payment, or made it last. */
  leaseOwner: string | null;
  /** Whether something about the payment is still to be done. */
  isOpen: boolean;
};

/** Reads the orders of a TPP or of a consent, or one, once for each of their payments, in order. */
export const readOrdersOf = (
  on: Queryable,
  of: { clientId: string } | { consentId: string } | { orderId: string },
): Promise<OrderWithPayment[]> => {
  const { clientId = null, consentId = null, orderId = null } = of as Record<string, string>;
  return on.query(sql`
    select o.order_id as "orderId", o.consent_id as "consentId", o.status,
      p.payment_id as "paymentId", p.status as "paymentStatus", p.amount_minor as "amountMinor",
      p.lease_owner as "leaseOwner", p.due_at is not null as "isOpen"
    from payment_order o left join payment p using (order_id)
    where o.client_id = ${clientId} or o.consent_id = ${consentId} or o.order_id = ${orderId}
    order by o.order_id, p.sequence`);
};

/** Returns the ids of the payments of an order. */
export const paymentsOf = async (on: Queryable, orderId: string): Promise<string[]> =>
  (await readOrdersOf(on, { orderId })).flatMap(({ paymentId }) => paymentId ?? []);

/** Returns the statuses of all payments, in the order of their orders. */
export const paymentStatuses = async (on: Queryable): Promise<string[]> =>
  (
    await on.query<{ status: string }>(sql`
      select status from payment order by order_id, sequence`)
  ).map(({ status }) => status);

/** Returns how many orders are stored: all, or those of clients whose ids begin with a text. */
export const countAllOrders = async (on: Queryable, clientBegin = ""): Promise<number> =>
  (await on.query(sql`select 1 from payment_order where starts_with(client_id, ${clientBegin})`))
    .length;

/** Returns the status of a stored order, and the customers who have signed it. */
export const readOrder = (
  on: Queryable,
  orderId: string,
): Promise<{ status: string; signedBy: string[] } | undefined> =>
  first(
    on,
    sql`select status, signed_by as "signedBy" from payment_order where order_id = ${orderId}`,
  );

/** SQL: changes orders, without regard to the rules of their statuses. */
export const setOrders = (orderIds: readonly string[], set: Sql): Sql => sql`
  update payment_order set ${set} where order_id = any(${orderIds}::text[])`;

/** Returns a completed payment from an account. */
export async function completedPayment(
  on: Queryable,
  debtorAccountId: string,
): Promise<string | undefined> {
  const row = await first<{ id: string }>(
    on,
    sql`select payment_id as id from payment
      where debtor_account_id = ${debtorAccountId} and status = 'ACCC' limit 1`,
  );
  return row?.id;
}

/** Returns whether something about a payment is to be done now. */
export const hasDuePayments = async (on: Queryable): Promise<boolean> =>
  (await on.query(sql`select payment_id from payment where due_at <= now() limit 1`)).length > 0;

/** Postpones everything that is to be done about payments. */
export const postponePayments = (on: Queryable, until: string): Promise<unknown> =>
  on.query(sql`update payment set due_at = ${until}::timestamptz where due_at is not null`);

/** Changes the amount of an order's payment, without regard to what its customer saw. */
export const setPaymentAmount = (
  on: Queryable,
  orderId: string,
  amountMinor: bigint,
): Promise<unknown> =>
  on.query(sql`update payment set amount_minor = ${amountMinor} where order_id = ${orderId}`);

/** Returns how many failures of payments are noted. */
export const countFailures = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from payment_failure`)).length;

/** Returns the consents for which a file is stored. */
export const consentsWithFiles = async (on: Queryable): Promise<string[]> =>
  (await on.query<{ id: string }>(sql`select consent_id as id from payment_file`)).map(
    ({ id }) => id,
  );

/** Gives an order another week for its signatures, as an earlier release did. */
export const waitLonger = (on: Queryable, orderId: string): Promise<unknown> =>
  on.query(sql`update payment_order
    set authorisation_expires_at = authorisation_expires_at + interval '7 days'
    where order_id = ${orderId}`);

/** How an order may stand when its customer looks at it. */
export type OrderEnd = {
  status: string;
  family?: string;
  authorisation?: string;
  reason?: string;
  signedBy?: string[];
};

/** Sets how an order and its payments stand. */
export async function setOrderEnd(on: Queryable, orderId: string, end: OrderEnd): Promise<void> {
  const { status, family = null, authorisation = null, reason, signedBy = [] } = end;
  const reasons = JSON.stringify(reason ? [{ code: reason, text: "" }] : []);
  await on.query(sql`
    update payment_order set status = ${status}, family = coalesce(${family}, family),
      authorisation_status = ${authorisation}, status_reason = ${reasons}::json,
      signed_by = ${signedBy}::text[]
    where order_id = ${orderId}`);
  await on.query(sql`update payment set status = ${status} where order_id = ${orderId}`);
}

/** Changes the number of an order's payee, which is `from` now. */
export const renumberPayee = (on: Queryable, orderId: string, from: string, to: string) =>
  on.query(sql`
    update payment set creditor = replace(creditor::text, ${from}, ${to})::json
    where order_id = ${orderId}`);
